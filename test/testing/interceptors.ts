// Interceptors between the contract suite and a correct service: they change requests or responses.
import type { Handler } from './deployment.js';

/** Returns a handler that changes requests to a service, or its responses. */
export type Interceptor = (service: Handler) => Handler;

/** Changes of a message. A header that is `undefined` is removed. */
interface Changes {
  headers?: Record<string, string | undefined>;
  body?: string;
}

/** A response, its request, and the body of the request. */
interface Exchange {
  response: Response;
  body: string;
  request: Request;
  requestBody: string;
}

/** The members of a session that interceptors change. */
export interface WireSession {
  reference: string;
  date: string;
  camsReference: string;
  status: string;
  createdAt: string;
  selectedPolicy: WirePolicy;
}

interface WirePolicy {
  number: string;
  validFrom: string;
  validTo: string;
  holder: object;
  linkedContacts: object[];
  vehicle: object;
}

interface WireProblem {
  title: string;
  status: number;
  code: string;
  errors?: readonly unknown[];
}

interface WireSubmission {
  reference: string;
  redirectUrl: string;
  repeated?: boolean;
  unchanged?: boolean;
}

type When = (request: Request) => boolean;

export const always: When = () => true;
export const isListing: When = ({ url }) => /\/sessions\/[^/]*$/.test(new URL(url).pathname);
export const isLinkRequest: When = ({ url }) => /\/link$/.test(new URL(url).pathname);
export const isVerify: When = ({ url }) => new URL(url).pathname.startsWith('/verify/');
export const isPage: When = (request) => isVerify(request) && request.method === 'GET';
export const isSubmission: When = (request) => isVerify(request) && request.method === 'POST';

/** Changes the response to matching requests. */
export function changeResponse(
  when: When,
  change: (exchange: Exchange) => (Changes & { status?: number }) | undefined,
): Interceptor {
  return (service) => async (request) => {
    const requestBody = await request.clone().text();
    const response = await service(request);
    if (!when(request)) return response;
    const body = await response.clone().text();
    const changes = change({ response, body, request, requestBody });
    if (changes === undefined) return response;
    const headers = changedHeaders(response.headers, { ...changes.headers, 'content-length': undefined });
    return new Response((changes.body ?? body) || null, {
      status: changes.status ?? response.status,
      headers,
    });
  };
}

/** Responds to matching requests in place of the service. */
export function replaceResponse(when: When, respond: (request: Request) => Promise<Response>): Interceptor {
  return (service) => (request) => (when(request) ? respond(request) : service(request));
}

/** Changes matching requests. */
export function changeRequest(
  when: When,
  change: (request: Request, body: string) => Changes & { url?: string },
): Interceptor {
  return (service) => async (request) => {
    if (!when(request)) return service(request);
    const sent = await request.clone().text();
    const { url = request.url, headers, body = sent } = change(request, sent);
    const { method } = request;
    return service(
      new Request(url, { method, headers: changedHeaders(request.headers, headers), ...(body && { body }) }),
    );
  };
}

function changedHeaders(original: Headers, changes: Changes['headers'] = {}): Headers {
  const headers = new Headers(original);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

export function changeStatus(when: When, from: number, to: number): Interceptor {
  return changeResponse(when, ({ response }) => (response.status === from ? { status: to } : undefined));
}

/** Responds with 409 to each link request with an Idempotency-Key but the first. */
export function rejectRepeatedKeys(): Interceptor {
  const keys = new Set<string>();
  return changeResponse(isLinkRequest, ({ request }) => {
    const key = request.headers.get('idempotency-key');
    if (key === null) return undefined;
    const isRepeated = keys.has(key);
    keys.add(key);
    return isRepeated ? { status: 409 } : undefined;
  });
}

/** Replaces a header, or removes it if there is no value. */
export function changeHeader(when: When, name: string, value?: string): Interceptor {
  return changeResponse(when, () => ({ headers: { [name]: value } }));
}

/** Changes the JSON of responses, either of errors or of successes. */
function changeJson<Body>(when: When, isError: boolean, change: (body: Body) => unknown): Interceptor {
  return changeResponse(when, ({ response, body }) => {
    const isJson = response.headers.get('content-type')?.includes('json');
    if (!isJson || body === '' || response.status >= 400 !== isError) return undefined;
    return { body: JSON.stringify(change(JSON.parse(body))) };
  });
}

export function changeListings(change: (list: WireSession[]) => unknown): Interceptor {
  return changeJson(isListing, false, change);
}

/** Changes members of every session. A member that is `undefined` is removed. */
export function changeSessions(change: (session: WireSession) => object): Interceptor {
  return changeListings((list) => list.map((session) => ({ ...session, ...change(session) })));
}

export function changePolicies(change: (policy: WirePolicy) => object): Interceptor {
  return changeSessions(({ selectedPolicy: policy }) => ({
    selectedPolicy: { ...policy, ...change(policy) },
  }));
}

/** Changes members of every problem. */
export function changeProblems(change: (problem: WireProblem) => object): Interceptor {
  return changeJson(always, true, (problem: WireProblem) => ({ ...problem, ...change(problem) }));
}

/** Changes members of the response to a claim. */
export function changeSubmissions(change: (data: WireSubmission) => object): Interceptor {
  return changeJson(isSubmission, false, ({ data }: { data: WireSubmission }) => {
    return { data: { ...data, ...change(data) } };
  });
}

/** Changes the URL of every link. */
export function changeLinks(change: (url: string) => string): Interceptor {
  return changeJson(isLinkRequest, false, (body: { data: string }) => ({ data: change(body.data) }));
}

/** Changes members of the header or of the payload of every token, without a new signature. */
export function changeTokens(
  part: 0 | 1,
  change: (value: Record<string, unknown>) => Record<string, unknown>,
): Interceptor {
  return changeLinks((url) => {
    const [base, token = ''] = url.split('token=');
    const value = decodePart(token, part);
    const parts = token.split('.');
    parts[part] = Buffer.from(JSON.stringify({ ...value, ...change(value) })).toString('base64url');
    return `${base}token=${parts.join('.')}`;
  });
}

/** Accepts other tokens for a link: replaces them with the correct token of the link. */
export function acceptTokens(isAccepted: (token: string) => boolean): Interceptor {
  return (service) => {
    const tokens = new Map<string, string>();
    const remembering = changeLinks((url) => {
      const { pathname, searchParams } = new URL(url);
      tokens.set(pathname, searchParams.get('token') ?? '');
      return url;
    })(service);
    return changeRequest(isVerify, (request) => {
      const url = new URL(request.url);
      const token = tokens.get(url.pathname);
      if (token !== undefined && isAccepted(tokenOf(url))) url.searchParams.set('token', token);
      return { url: url.href };
    })(remembering);
  };
}

export function tokenOf(url: URL): string {
  return url.searchParams.get('token') ?? '';
}

/** Returns the header or the payload of a token, or an empty object if it is malformed. */
export function decodePart(token: string, part: 0 | 1): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());
  } catch {
    return {};
  }
}

/** Changes the JSON of matching requests. A body that is not JSON stays unchanged. */
export function changeRequestJson(
  when: When,
  change: (body: Record<string, unknown>) => unknown,
): Interceptor {
  return changeRequest(when, (_request, body) => {
    try {
      return { body: JSON.stringify(change(JSON.parse(body))) };
    } catch {
      return {};
    }
  });
}

/** Changes the URL of every link request's callback. */
export function changeCallbacks(from: RegExp, to: string): Interceptor {
  return changeRequestJson(isLinkRequest, (body) => {
    return { ...body, callbackUrl: String(body['callbackUrl']).replace(from, to) };
  });
}

/** Changes the URL of every listing request. */
export function changeListingUrls(from: string, to: string): Interceptor {
  return changeRequest(isListing, ({ url }) => ({ url: url.replaceAll(from, to) }));
}

/** Sends a valid key with matching requests. */
export function addKey(when: When, key = 'clk_acme_good'): Interceptor {
  return changeRequest(when, () => ({ headers: { 'x-api-key': key } }));
}
