// HTTP client of the contract suite: requests with a timeout and a restricted origin, messages without secrets.
import { COMPACT_TOKEN } from '../../core/compact-token.js';
import { signalOption } from '../../core/fetch-signal.js';
import { isError } from '../../core/plain-data.js';
import { expect, fail, type RuleError, SEARCHED_LENGTH } from './expect.js';
import type { SentRequest, TextResponse } from './response.js';
import { createRunLimits } from './run-limits.js';
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
   * Sends a request without following redirects, and again after a 429. Rejects with an AssertionError if there is no
   * response in time, or if the URL has another origin than `baseUrl` and `linkOrigin`; then it sends nothing. Ends the
   * run if a response exceeds one of its limits.
   */
  send(request: ContractRequest): Promise<TextResponse>;
  /** Returns the failure that ended the run, or undefined. After it, `send` rejects with it. */
  endedBy(): RuleError | undefined;
  /** Returns whether the suite may send requests to the origin of this absolute URL. */
  mayRequest(url: string): boolean;
  /**
   * Removes tokens, access codes, control characters and the API key from a text. A key that looks like a word, or has
   * fewer than 8 characters, stays.
   */
  redact(text: string): string;
}

/** Creates the client of a target, for one run. */
export function createContractClient(target: ResolvedTarget, limits = createRunLimits()): ContractClient {
  // A key such as `k` or `sessions` is also part of other words. Replacing it would make messages unreadable.
  const isKeyRecognisable = target.apiKey.length >= 8 && /[^a-z]/i.test(target.apiKey);

  function redact(text: string): string {
    const withoutKey = isKeyRecognisable
      ? text.replaceAll(target.apiKey, '<api key>').replaceAll(encodeURIComponent(target.apiKey), '<api key>')
      : text;
    return withoutTokens(withoutKey)
      .replaceAll(/(\/verify\/)[^\s/?"<]+/g, '$1<access_code>')
      .replaceAll(/([?&]token=)[^\s&"<]+/g, '$1<token>')
      .replaceAll(COMPACT_TOKEN, '<token>')
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
    for (let retries = 0; ; retries++) {
      const response = await sendOnce(title, sent);
      if (response.status !== 429) return response;
      await limits.waitAfter(response, retries);
    }
  }

  async function sendOnce(title: string, sent: SentRequest): Promise<TextResponse> {
    await limits.beforeRequest();
    const startedAt = performance.now();
    const { size, ...response } = await withTimeout(target.timeoutSeconds, async (signal) => {
      const { url, ...init } = sent;
      const { status, headers, body } = await target.fetch(
        new Request(url, { ...init, redirect: 'manual', ...signalOption(signal) }),
      );
      const content = await readText(body, limits.maxBodyBytes());
      return { title, request: sent, status, headers, ...content };
    }).catch((error: unknown) => {
      const exchange = { title, request: sent };
      limits.addSeconds(exchange, (performance.now() - startedAt) / 1000);
      const isLate = error instanceof TimeoutError;
      return fail(
        exchange,
        isLate ? error.message : `no response (${redact(reasonOf(error))})`,
        'a response',
      );
    });
    limits.addBody(response, size);
    limits.addSeconds(response, (performance.now() - startedAt) / 1000);
    return response;
  }

  return { send, mayRequest, redact, endedBy: limits.endedBy };
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

/** Returns the text and size of a body. Of a body that is larger than the limit, returns the start, and cancels the rest. */
async function readText(body: Response['body'], maxBytes: number): Promise<{ body: string; size: number }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    chunks.push(chunk);
    if (size > maxBytes) break;
  }
  const kept = size > maxBytes ? Math.min(size, SEARCHED_LENGTH) : size;
  return { body: new TextDecoder().decode(Buffer.concat(chunks, kept)), size };
}

class TimeoutError extends Error {}

/** Rejects with a TimeoutError after some seconds, also if the work ignores its signal. Keeps nothing after the work. */
async function withTimeout<T>(seconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new TimeoutError(`no response in ${seconds} seconds`));
      controller.abort();
    }, seconds * 1000);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Returns the cause of `fetch failed`, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  if (!isError(error)) return String(error);
  const { cause } = error;
  const code = isError(cause) && 'code' in cause ? String(cause.code) : '';
  return code || (isError(cause) && cause.message) || error.message;
}
