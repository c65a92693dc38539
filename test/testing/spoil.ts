// Ways to spoil a good deployment: other answers, other requests, between the contract suite and the service.
import type { TestServiceOptions } from '../adapters/service.js';
import type { Handler } from './deployment.js';

/** What is wrong with a deployment, and by which rule it must be caught. */
export interface BrokenDeployment {
  /** Puts itself between the suite and a good service. */
  wrap?: (good: Handler) => Handler;
  /** What is wrong with the service itself. */
  service?: TestServiceOptions;
  caughtBy: RegExp;
}

/** What is read of a listing, to be spoilt. */
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

/** Another answer in place of the good one, where it is about such a request. */
export function answering(
  when: (request: Request) => boolean,
  change: (response: Response, request: Request) => Response | Promise<Response>,
): (good: Handler) => Handler {
  return (good) => async (request) => {
    const asked = request.clone();
    const response = await good(request);
    return when(asked) ? change(response, asked) : response;
  };
}

/** The answer with another status, other headers, another body. */
export async function altered(
  response: Response,
  changes: { status?: number; headers?: Record<string, string | undefined>; body?: string },
): Promise<Response> {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(changes.headers ?? {})) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const body = changes.body ?? (await response.text());
  headers.delete('content-length');
  return new Response(body || null, { status: changes.status ?? response.status, headers });
}

/** Another request in place of the one that was sent. */
export function asking(
  when: (request: Request) => boolean,
  change: (request: Request) => Request | Promise<Request>,
): (good: Handler) => Handler {
  return (good) => async (request) => good(when(request) ? await change(request) : request);
}

/** The request with another body. */
export async function rewritten(
  request: Request,
  change: (body: Record<string, unknown>) => unknown,
): Promise<Request> {
  const text = await request.text();
  let body = text;
  try {
    body = JSON.stringify(change(JSON.parse(text)));
  } catch {
    // What is no JSON goes on as it is.
  }
  return new Request(request.url, { method: request.method, headers: request.headers, body });
}

/** Spoils every session of every listing. */
export function sessions(spoil: (session: WireSession) => unknown): (good: Handler) => Handler {
  return listings((list) => list.map(spoil));
}

export function listings(spoil: (list: WireSession[]) => unknown): (good: Handler) => Handler {
  return answering(isListing, async (response) => {
    const text = await response.text();
    const isSpoilt = response.status === 200 && text !== '';
    return altered(response, { body: isSpoilt ? JSON.stringify(spoil(JSON.parse(text))) : text });
  });
}

export function policies(spoil: (policy: WirePolicy) => unknown): (good: Handler) => Handler {
  return sessions((session) => ({ ...session, selectedPolicy: spoil(session.selectedPolicy) }));
}

export function statuses(when: (request: Request) => boolean, from: number, to: number) {
  return answering(when, (response) =>
    response.status === from ? altered(response, { status: to }) : response,
  );
}

/** A header gone, or another value of it. */
export function withHeader(
  when: (request: Request) => boolean,
  name: string,
  value?: string,
): (good: Handler) => Handler {
  return answering(when, (response) => altered(response, { headers: { [name]: value } }));
}

export function withUrl(request: Request, url: string): Request {
  const { method, headers } = request;
  return new Request(url, { method, headers });
}

/** Spoils every problem. */
export function problems(spoil: (problem: WireProblem) => unknown): (good: Handler) => Handler {
  return answering(
    () => true,
    async (response) => {
      if (response.status < 400 || !response.headers.get('content-type')?.includes('json')) return response;
      const text = await response.text();
      return altered(response, { body: text && JSON.stringify(spoil(JSON.parse(text))) });
    },
  );
}

export const always = () => true;

/** The request with a good key. */
export async function withKey(request: Request, key = 'clk_acme_good'): Promise<Request> {
  const headers = new Headers(request.headers);
  headers.set('x-api-key', key);
  const body = await request.text();
  return new Request(request.url, { method: request.method, headers, ...(body && { body }) });
}
