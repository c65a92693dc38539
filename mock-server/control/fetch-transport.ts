// Carries control calls over HTTP by fetch, in Node and in browsers. Events are server-sent events.
import { signalOption } from '../../lib/core/fetch-signal.js';
import { eventSchema } from '../schemas/control.js';
import { withDates } from '../schemas/dates.js';
import type { ControlTransport } from './client.js';
import { MockControlError } from './control-error.js';
import { METHODS } from './methods.js';
import type { MockEvent } from './types.js';

/** Options of `connectMock`. */
export interface ConnectOptions {
  /** Control token of the mock. In a page of the mock the browser adds the credentials itself. */
  token?: string;
  /** Default: the global fetch. */
  fetch?: typeof globalThis.fetch;
}

export function createFetchTransport(url: string, options: ConnectOptions): ControlTransport {
  const root = url.replace(/\/+$/, '');
  const base = `${root}/__mock`;
  const { token, fetch = globalThis.fetch } = options;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };

  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = { ...authorization, ...init.headers };
    const response = await fetch(base + path, { ...init, headers }).catch((cause: unknown) => {
      const message = `There is no response from ${base}: ${reasonOf(cause, root)}`;
      throw new MockControlError(0, 'unreachable', message, { cause });
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  return {
    async call(name, input) {
      const response = await send(`/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      const { output } = METHODS[name];
      return output === undefined ? undefined : withDates(output, await response.json());
    },

    async subscribe(selection, onEvent, onClose) {
      const controller = new AbortController();
      const { signal } = controller;
      const query = new URLSearchParams({ ...selection });
      const init = { headers: { accept: 'text/event-stream' }, ...signalOption(signal) };
      const { body } = await send(`/events?${query}`, init);
      const reader = body?.getReader();
      const reading = reader === undefined ? Promise.resolve() : readEvents(reader, onEvent);
      reading.catch(() => {}).then(() => signal.aborted || onClose());
      return () => {
        controller.abort();
        // Without the signal, the response still waits for events.
        reader?.cancel().catch(() => {});
      };
    },
  };
}

/** A cycle of causes ends as well. */
const MAX_CAUSES = 5;

/** Returns what the innermost cause of a failed fetch says, and what to do if MSW has rejected the request. */
function reasonOf(error: unknown, root: string): string {
  let inner = Object(error) as { message?: string; code?: string; cause?: unknown };
  for (let depth = 0; inner.cause && depth < MAX_CAUSES; depth++) inner = Object(inner.cause);
  const reason = `${String(inner.message || inner.code).replace(/\.$/, '')}.`;
  return reason.startsWith('[MSW]')
    ? `${reason} Let requests to the mock pass: http.all('${root}/*', () => passthrough()).`
    : reason;
}

/** Returns the error of a response, which is a problem (RFC 9457) if the mock sent it. */
async function errorOf(response: Response): Promise<MockControlError> {
  const { status } = response;
  try {
    const { code, detail, errors } = JSON.parse(await response.text());
    return new MockControlError(status, String(code), String(detail), { problems: errors ?? [] });
  } catch {
    const message = `The response has status ${status} and no problem details.`;
    return new MockControlError(status, 'unknown', message);
  }
}

/** Reads server-sent events (HTML Living Standard, 9.2.6) as the mock writes them: one `data` line each. */
async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onEvent: (event: MockEvent) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: ')) onEvent(withDates(eventSchema, JSON.parse(line.slice(6))) as MockEvent);
    }
  }
}
