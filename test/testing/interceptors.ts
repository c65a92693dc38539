// Interceptors between the contract suite and a correct service: they change requests or responses.
import type { TestServiceOptions } from '../adapters/service.js';
import type { Handler } from './deployment.js';

/** Returns a handler that changes requests to a service, or its responses. */
export type Interceptor = (service: Handler) => Handler;

/** A deployment with one defect. */
export interface BrokenDeployment {
  /** Intercepts the requests to a correct service. */
  wrap?: Interceptor;
  /** Options that cause the defect in the service. */
  service?: TestServiceOptions;
  /** Matches the names of the rules that must fail. */
  detectedBy: RegExp;
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

const LISTING = /\/sessions\/[^/]*$/;
const LINK = /\/link$/;

export const isListing = (request: Request) => LISTING.test(new URL(request.url).pathname);
export const isLinkRequest = (request: Request) => LINK.test(new URL(request.url).pathname);
export const isVerify = (request: Request) => new URL(request.url).pathname.startsWith('/verify/');

/** Changes the response to matching requests. */
export function changeResponse(
  when: (request: Request) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): Interceptor {
  return (service) => async (request) => {
    const asked = request.clone();
    const response = await service(request);
    return when(asked) ? change(response, asked) : response;
  };
}

/** Headers to replace. `undefined` removes the header. */
type HeaderChanges = Record<string, string | undefined>;

/** Returns the response with another status, other headers or another body. */
export async function withChanges(
  response: Response,
  changes: { status?: number; headers?: HeaderChanges; body?: string },
): Promise<Response> {
  const headers = changedHeaders(response.headers, { ...changes.headers, 'content-length': undefined });
  const body = changes.body ?? (await response.text());
  return new Response(body || null, { status: changes.status ?? response.status, headers });
}

function changedHeaders(original: Headers, changes: HeaderChanges = {}): Headers {
  const headers = new Headers(original);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

/** Returns the request with another URL, other headers or another body. */
export async function requestWith(
  request: Request,
  changes: { url?: string; headers?: HeaderChanges; body?: string },
): Promise<Request> {
  const body = changes.body ?? (await request.text());
  return new Request(changes.url ?? request.url, {
    method: request.method,
    headers: changedHeaders(request.headers, changes.headers),
    ...(body && { body }),
  });
}

/** Changes matching requests. */
export function changeRequest(
  when: (request: Request) => boolean,
  change: (request: Request) => Request | Promise<Request>,
): Interceptor {
  return (service) => async (request) => service(when(request) ? await change(request) : request);
}

/** Returns the request with a changed JSON body. */
export async function withJsonBody(
  request: Request,
  change: (body: Record<string, unknown>) => unknown,
): Promise<Request> {
  const text = await request.text();
  let body = text;
  try {
    body = JSON.stringify(change(JSON.parse(text)));
  } catch {
    // A body that is not JSON stays unchanged.
  }
  return requestWith(request, { body });
}

/** Changes the body of every link request. */
export function changeLinkRequests(change: (body: Record<string, unknown>) => unknown): Interceptor {
  return changeRequest(isLinkRequest, (request) => withJsonBody(request, change));
}

/** Changes every session of every listing. */
export function changeSessions(change: (session: WireSession) => unknown): Interceptor {
  return changeListings((list) => list.map(change));
}

export function changeListings(change: (list: WireSession[]) => unknown): Interceptor {
  return changeResponse(isListing, async (response) => {
    const text = await response.text();
    const isChanged = response.status === 200 && text !== '';
    return withChanges(response, { body: isChanged ? JSON.stringify(change(JSON.parse(text))) : text });
  });
}

export function changePolicies(change: (policy: WirePolicy) => unknown): Interceptor {
  return changeSessions((session) => ({ ...session, selectedPolicy: change(session.selectedPolicy) }));
}

export function changeStatus(when: (request: Request) => boolean, from: number, to: number) {
  return changeResponse(when, (response) =>
    response.status === from ? withChanges(response, { status: to }) : response,
  );
}

/** Replaces a header, or removes it if there is no value. */
export function changeHeader(when: (request: Request) => boolean, name: string, value?: string): Interceptor {
  return changeResponse(when, (response) => withChanges(response, { headers: { [name]: value } }));
}

/** Changes the URL of every listing request. */
export function changeListingUrls(change: (url: string) => string): Interceptor {
  return changeRequest(isListing, (request) => requestWith(request, { url: change(request.url) }));
}

/** Changes every problem. */
export function changeProblems(change: (problem: WireProblem) => unknown): Interceptor {
  return changeResponse(
    () => true,
    async (response) => {
      if (response.status < 400 || !response.headers.get('content-type')?.includes('json')) return response;
      const text = await response.text();
      return withChanges(response, { body: text && JSON.stringify(change(JSON.parse(text))) });
    },
  );
}

export const always = () => true;

/** Returns the request with a valid key. */
export function withKey(request: Request, key = 'clk_acme_good'): Promise<Request> {
  return requestWith(request, { headers: { 'x-api-key': key } });
}
