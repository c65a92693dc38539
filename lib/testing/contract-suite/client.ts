// How the contract suite talks to a deployment: requests that time out, answers that are read whole, nothing secret in words.
import { AssertionError } from 'node:assert/strict';
import type { ResolvedTarget } from './target.js';

/** A request to a deployment. */
export interface ContractRequest {
  /** Default GET. */
  method?: string;
  /** Path below {base_url}, or an absolute URL: a link, as it was given. */
  url: string;
  /** What the request is called in messages. Default: method and path. */
  title?: string;
  /** Default: the target's, for paths; never any for absolute URLs. undefined: none; '': an empty header. */
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
}

/** An answer, read whole. */
export interface Answer {
  /** The request, as messages call it. */
  readonly title: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends requests to one target. */
export interface ContractClient {
  /** Rejects with an AssertionError when there is no answer in time. Redirects are not followed. */
  send(request: ContractRequest): Promise<Answer>;
  /** A text without the API key, tokens and access codes, and without what moves the cursor of a terminal. */
  redact(text: string): string;
}

/** Makes the client of a target. */
export function createContractClient(target: ResolvedTarget): ContractClient {
  function redact(text: string): string {
    return text
      .replaceAll(target.apiKey, '<api key>')
      .replaceAll(encodeURIComponent(target.apiKey), '<api key>')
      .replaceAll(/\bey[\w-]{8,}\.[\w-]+\.[\w-]*/g, '<token>')
      .replaceAll(/(\/verify\/)[^\s/?"<]+/g, '$1<access_code>')
      .replaceAll(/([?&]token=)[^\s&"<]+/g, '$1<token>')
      .replaceAll(/\p{C}/gu, '?');
  }

  async function send(request: ContractRequest): Promise<Answer> {
    const { method = 'GET', url, body } = request;
    const isPath = url.startsWith('/');
    const title = redact(request.title ?? `${method} ${isPath ? url : pathOf(url)}`);
    const apiKey = 'apiKey' in request ? request.apiKey : isPath ? target.apiKey : undefined;
    const signal = AbortSignal.timeout(target.timeoutSeconds * 1000);
    try {
      return await before(signal, async () => {
        const outgoing = new Request(isPath ? target.baseUrl + url : url, {
          method,
          headers: { ...(apiKey !== undefined && { 'x-api-key': apiKey }), ...request.headers },
          ...(body !== undefined && { body }),
          redirect: 'manual',
          signal,
        });
        const response = await target.fetch(outgoing);
        const { status, headers } = response;
        return { title, status, headers, body: await response.text() };
      });
    } catch (error) {
      const seen = signal.aborted
        ? `no answer in ${target.timeoutSeconds} seconds`
        : `no answer (${redact(reasonOf(error))})`;
      const message = `${title}: saw ${seen}; the contract says that it is answered`;
      throw new AssertionError({ message, actual: seen, expected: 'an answer', operator: 'send' });
    }
  }

  return { send, redact };
}

/** Also for a `fetch` that does not look at its signal. */
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

/** `fetch failed` says nothing; its cause does: ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code || (cause instanceof Error && cause.message) || error.message;
}
