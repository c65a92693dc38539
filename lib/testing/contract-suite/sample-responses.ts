// Responses that rules accept, as text. Reports show them, so that their reader needs no other document.

import { ClaimlinkError, type ErrorCode, type ErrorRule, type Problem } from '../../core/errors.js';
import { FIXTURES } from '../../generated/examples.js';
import { type CoreResponse, problemResponse, toProblem } from '../../http/messages.js';
import type { WireSession } from './response.js';

/** Returns a problem response. A 400 names `places`: JSON Pointers, or names of parameters. */
export function problemSample(
  code: ErrorCode,
  places: readonly string[] = [],
  rule: ErrorRule = 'type',
  headers: Readonly<Record<string, string>> = {},
): string {
  const problems = places.map(
    (place): Problem => ({
      ...(place.startsWith('/') || place === '' ? { pointer: place } : { parameter: place }),
      rule,
      detail: 'what is wrong, without the value',
    }),
  );
  const options = problems.length > 0 ? { problems } : undefined;
  return responseText(problemResponse(toProblem(new ClaimlinkError(code, undefined, options)), headers));
}

const listing = FIXTURES['responses']?.['listing'];

/** The first session of an example in the OpenAPI document. */
export const [SAMPLE_SESSION = {}] = listing as readonly WireSession[];

export const LISTING_SAMPLE = jsonSample([SAMPLE_SESSION]);
export const EMPTY_LISTING_SAMPLE = jsonSample([]);
export const LINK_SAMPLE = jsonSample({ data: '{base_url}/verify/<access_code>?token=<encoded_token>' });

/** Returns a successful response. Its other headers are decisions with rules of their own. */
function jsonSample(value: unknown): string {
  return responseText({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });
}

/** Returns status, headers and body as HTTP/1.1 writes them. The length of a body is no rule. */
function responseText({ status, headers, body }: CoreResponse): string {
  const lines = Object.entries(headers)
    .filter(([name]) => name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, '', body].join('\n');
}
