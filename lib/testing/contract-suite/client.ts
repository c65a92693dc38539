// HTTP client of the contract suite: requests with a timeout and a restricted origin, messages without secrets.
import { expect, fail } from './expect.js';
import type { SentRequest, TextResponse } from './response.js';
import type { ResolvedTarget } from './target.js';

/** A request to a deployment. */
export interface ContractRequest {
  /** Default GET. */
  method?: string;
  /** Path below {base_url}, or an absolute URL: a link as the deployment returned it. */
  url: string;
  /** Name of the request in messages. Default: method and path. */
  title?: string;
  /** Default: the key of the target for a path, none for an absolute URL. `undefined`: none; '': an empty header. */
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
}

/** Sends requests to one target. */
export interface ContractClient {
  /**
   * Sends a request without following redirects. Rejects with an AssertionError if there is no response in time, or
   * if the URL has another origin than `baseUrl` and `linkOrigin`; then it sends nothing.
   */
  send(request: ContractRequest): Promise<TextResponse>;
  /** Returns whether the suite may send requests to the origin of this absolute URL. */
  mayRequest(url: string): boolean;
  /**
   * Removes tokens, access codes, control characters and the API key from a text. A key that looks like a word, or has
   * fewer than 8 characters, stays.
   */
  redact(text: string): string;
}

/** Maximum size of a decoded response body: a small compressed body may become very large. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Creates the client of a target. */
export function createContractClient(target: ResolvedTarget): ContractClient {
  // A key such as `k` or `sessions` is also part of other words. Replacing it would make messages unreadable.
  const isKeyRecognisable = target.apiKey.length >= 8 && /[^a-z]/i.test(target.apiKey);

  function redact(text: string): string {
    const withoutKey = isKeyRecognisable
      ? text.replaceAll(target.apiKey, '<api key>').replaceAll(encodeURIComponent(target.apiKey), '<api key>')
      : text;
    return withoutTokens(withoutKey)
      .replaceAll(/(\/verify\/)[^\s/?"<]+/g, '$1<access_code>')
      .replaceAll(/([?&]token=)[^\s&"<]+/g, '$1<token>')
      .replaceAll(/\p{C}/gu, '?');
  }

  const ownOrigin = new URL(target.baseUrl).origin;

  function mayRequest(url: string): boolean {
    return [ownOrigin, target.linkOrigin].includes(new URL(url).origin);
  }

  async function send(request: ContractRequest): Promise<TextResponse> {
    const { method = 'GET', url, body } = request;
    const isPath = url.startsWith('/');
    const title = redact(request.title ?? `${method} ${isPath ? url : pathOf(url)}`);
    const apiKey = 'apiKey' in request ? request.apiKey : isPath ? target.apiKey : undefined;
    const targetUrl = isPath ? target.baseUrl + url : url;
    // The owner of another origin has not agreed to the requests of the suite.
    const { origin } = new URL(targetUrl);
    const advice = `to let the suite follow links to ${origin}, pass --link-origin ${origin} (option linkOrigin)`;
    expect(mayRequest(targetUrl), title, `a link to ${origin}`, `a link to ${ownOrigin}; ${advice}`);
    const sent: SentRequest = {
      method,
      url: targetUrl,
      headers: { ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...request.headers },
      ...(body !== undefined && { body }),
    };
    const signal = AbortSignal.timeout(target.timeoutSeconds * 1000);
    const { isComplete, ...response } = await before(signal, async () => {
      const { url, ...init } = sent;
      const { status, headers, body } = await target.fetch(
        new Request(url, { ...init, redirect: 'manual', signal }),
      );
      return { title, request: sent, status, headers, ...(await readText(body)) };
    }).catch((error: unknown) => {
      const actual = signal.aborted
        ? `no response in ${target.timeoutSeconds} seconds`
        : `no response (${redact(reasonOf(error))})`;
      return fail({ title, request: sent }, actual, 'a response');
    });
    const limit = `${MAX_BODY_BYTES / 1024 / 1024} MiB`;
    const expected = `at most ${limit}; if this user has so many sessions, pass another --user-id`;
    expect(isComplete, response, `a body of more than ${limit}, decoded`, expected);
    return response;
  }

  return { send, mayRequest, redact };
}

/** Replaces each compact JWS. Scans each part of a dotted word once: a body may be one long word. */
function withoutTokens(text: string): string {
  return text.replaceAll(/[\w.-]+/g, (word) => {
    const parts = word.split('.');
    const shown: string[] = [];
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] ?? '';
      const start = part.search(/\bey[\w-]{8}/);
      const isToken = start !== -1 && parts[index + 1] !== '' && parts[index + 2] !== undefined;
      shown.push(isToken ? `${part.slice(0, start)}<token>` : part);
      if (isToken) index += 2;
    }
    return shown.join('.');
  });
}

/** Returns the text of a body up to the limit. Cancels the rest of a longer body. */
async function readText(body: Response['body']): Promise<{ body: string; isComplete: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) return { body: text, isComplete: false };
    text += decoder.decode(chunk, { stream: true });
  }
  return { body: text + decoder.decode(), isComplete: true };
}

/** Rejects when the signal aborts, also for a `fetch` that ignores its signal. */
function before<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work().then(resolve, reject);
  });
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Returns the cause of `fetch failed`, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code || (cause instanceof Error && cause.message) || error.message;
}
