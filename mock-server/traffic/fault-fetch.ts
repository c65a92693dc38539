// Spoils a fetch Response, so that the caller sees what fetch would have shown.
import type { FaultEffect } from '../control.js';
import { breakBody, firstHalf, isBreakable } from './fault-body.js';

/**
 * The response as it is with an effect: for `malformed` broken, for `truncate` with a body that fails halfway.
 * @throws TypeError `fetch failed`, with a cause, as fetch does, for `cut`, `lose`, and `truncate` without a body.
 */
export async function spoilResponse(response: Response, effect: FaultEffect): Promise<Response> {
  if (effect === 'cut' || effect === 'lose') {
    response.body?.cancel().catch(() => {});
    throw connectionLost('fetch failed');
  }
  if (response.body === null) return withoutBody(response, effect);
  if (effect === 'malformed' && !isBreakable(response.status)) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const { status, statusText, headers } = response;
  if (body.byteLength === 0) return withoutBody(new Response(null, { status, statusText, headers }), effect);
  const spoiled =
    effect === 'malformed' ? breakBody(body, headers.get('content-type')) : breakingOff(firstHalf(body));
  return new Response(spoiled, { status, statusText, headers });
}

function withoutBody(response: Response, effect: 'truncate' | 'malformed'): Response {
  if (effect === 'truncate') throw connectionLost('fetch failed');
  return response;
}

/** Gives the bytes, and fails when more are asked for. */
function breakingOff(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let isGiven = false;
  return new ReadableStream({
    pull(controller) {
      if (isGiven) return controller.error(connectionLost('terminated'));
      isGiven = true;
      return controller.enqueue(bytes);
    },
  });
}

/** What Node's fetch rejects with. */
function connectionLost(message: string): TypeError {
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  return new TypeError(message, { cause });
}
