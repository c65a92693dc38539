// The deployment under test: requests to it, and the links and submissions that rules share.

import type { ClaimSubmission, LinkRequest } from '../../core/types.js';
import { parseUrl } from '../../core/url.js';
import { createContractClient } from './client.js';
import {
  errorPlaces,
  expect,
  fail,
  isOurProblem,
  jsonOf,
  mediaType,
  memberOf,
  NotApplicableError,
  nextTarget,
  objectOf,
  statusLine,
} from './expect.js';
import type { TextResponse, WireSession } from './response.js';
import { FORM_TYPE, formOf, JSON_TYPE, sampleClaim, WANTS_JSON } from './samples.js';
import type { ResolvedTarget } from './target.js';

/** A link and its parts. */
export interface CreatedLink {
  /** The URL as the deployment returned it. */
  url: string;
  accessCode: string;
  token: string;
}

/** Start of the reason of a rule that needs an accepted claim. Without one, the contract is not proven. */
export const NO_CLAIM = 'no claim is accepted';

/** A claim that was sent, and the response. */
export interface SentClaim {
  link: CreatedLink;
  claim: ClaimSubmission;
  response: TextResponse;
}

/** Access to the deployment. Every method rejects with an AssertionError or a NotApplicableError. */
export type Deployment = ReturnType<typeof createDeployment>;

/** Name of a page in messages, because its URL contains a token. */
const LINK_TITLE = '/verify/<access_code>?token=<token>';

/** Name of the rule that the other rules about links depend on. */
export const LINK_RULE = 'a link request is answered with an object whose one member is data, a URL';
/** Name of the rule that the other rules about submissions depend on. */
export const SUBMIT_RULE =
  'a claim posted as JSON is answered 200 with { data: { reference, date, redirectUrl } }';

/** Name of the rule that fails if links lead to an origin that the suite may not request. */
export const OPEN_RULE = 'a link opens a page in a browser: 200, text/html';

/** Name of the rule that fails if there is nothing at a link. */
export const SERVED_RULE = 'the deployment serves its links: they are not 404';

/** The places of answers to what a client asks beside the members that claimlink has. */
const OWN_QUESTION = /^\/incident\/(?:answers\/|type$|photos$)/;

/** Why rules about pages do not apply if there is nothing at a link. */
export const UNSERVED = `nothing serves links here (404): see "${SERVED_RULE}"`;

/** Creates the deployment of a target. Sends nothing before a rule runs. */
export function createDeployment(target: ResolvedTarget) {
  const client = createContractClient(target);
  const { send } = client;
  const { baseUrl } = target;

  /** Returns the path of a listing. Default: user and client of the target. */
  const listingPath = (userId = target.userId, clientId = target.clientId) =>
    `/${encodeURIComponent(clientId)}/sessions/${encodeURIComponent(userId)}`;
  const linkPath = (clientId = target.clientId) => `/${encodeURIComponent(clientId)}/link`;

  /** Returns the sessions of a page, and the path of the next page if it is below {base_url}. */
  async function page(path: string): Promise<{ sessions: WireSession[]; next: string | undefined }> {
    const response = await send({ url: path, headers: JSON_TYPE });
    const list = jsonOf(response);
    expect(Array.isArray(list), response, statusLine(response), 'a top-level array');
    const sessions = list.map(
      (session: unknown, index) =>
        objectOf(session) ?? fail(`${response.title}, session ${index}`, `a ${typeof session}`, 'an object'),
    );
    const nextUrl = nextTarget(response);
    const next = nextUrl?.startsWith(`${baseUrl}/`) ? nextUrl.slice(baseUrl.length) : undefined;
    return { sessions, next };
  }

  /** Returns the first page of the listing. Asserts only that it is an array of objects. */
  const listSessions = async () => (await page(listingPath())).sessions;

  /** Requests the listing of the user, with a query such as `?limit=1`. */
  const getListing = (query = '') => send({ url: listingPath() + query });

  /** Returns a new, valid link request with the required members only. */
  const linkRequest = (): LinkRequest => ({
    callbackUrl: target.callbackUrl,
    config: {
      contact: { email: 'claimlink-check@example.com', phone: '+44 20 7946 0000' },
      currentUserId: target.userId,
    },
  });

  /** Sends a link request with this body. */
  function postLink(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<TextResponse> {
    const all = { ...JSON_TYPE, ...headers };
    return send({ method: 'POST', url: linkPath(), headers: all, body: JSON.stringify(body) });
  }

  /** Why no link can be created, or undefined. */
  const linkReason = once(async () => linkProblem(await postLink(linkRequest())));

  /** Creates a link; `changes` replace members of the link request. */
  async function createLink(changes: Partial<LinkRequest> = {}): Promise<CreatedLink> {
    // If no link at all can be created, only the rule about that fails.
    const reason = await linkReason();
    if (reason !== undefined) throw new NotApplicableError(reason);
    const response = await postLink({ ...linkRequest(), ...changes });
    const link = linkIn(response);
    return link ?? fail(response, `${statusLine(response)} without a URL in data`, 'a link for this request');
  }

  function open(
    { url }: Pick<CreatedLink, 'url'>,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<TextResponse> {
    return send({ method, url, title: `${method} ${LINK_TITLE}`, headers });
  }

  function submitJson({ url }: Pick<CreatedLink, 'url'>, body: unknown): Promise<TextResponse> {
    const title = `POST ${LINK_TITLE} as JSON`;
    return send({ method: 'POST', url, title, headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  /** Why no page can be expected at links, or undefined. The contract has no endpoint that serves them. */
  const unservedReason = once(async () => {
    const link = await createLink();
    const { origin } = new URL(link.url);
    if (!client.mayRequest(link.url))
      return `links lead to ${origin}: pass --link-origin ${origin} to open them; see "${OPEN_RULE}"`;
    let response: TextResponse;
    try {
      response = await open(link, WANTS_JSON);
    } catch (error) {
      // Another origin may be unreachable from here.
      if (link.url.startsWith(`${baseUrl}/`)) throw error;
      return `${origin}, the origin of links, does not respond`;
    }
    const { status } = response;
    if (status >= 300 && status < 400)
      return `links redirect (${status}), which the check does not follow: open one in a browser`;
    return status === 404 && !isOurProblem(response) ? UNSERVED : undefined;
  });

  /** Why links do not lead to pages of claimlink, or undefined. */
  const pagesReason = once(async () => {
    const reason = await unservedReason();
    if (reason !== undefined) return reason;
    const link = await createLink();
    const opened = await open(link);
    const forged = { url: `${link.url.slice(0, link.url.lastIndexOf('/') + 1)}claimlink-check?token=a.b.c` };
    const responses = [await open(forged, WANTS_JSON), await submitJson(link, {}), opened];
    const isPageOfHost = opened.status === 200 && mediaType(opened) === 'text/html';
    return responses.some(isOurProblem) || !isPageOfHost
      ? undefined
      : 'the pages of links are not those of claimlink: the host serves /verify itself (widget: false)';
  });

  /** Creates a link. Does not apply to deployments whose links do not lead to the pages of claimlink. */
  async function createOpenableLink(changes: Partial<LinkRequest> = {}): Promise<CreatedLink> {
    const reason = await pagesReason();
    if (reason !== undefined) throw new NotApplicableError(reason);
    return createLink(changes);
  }

  const hasBuiltInForm = once(async () =>
    (await open(await createOpenableLink())).body.includes('name="/policy/holder/'),
  );

  async function submitForm(
    { url }: CreatedLink,
    claim: ClaimSubmission,
    headers: Record<string, string>,
  ): Promise<TextResponse> {
    if (target.claim !== undefined)
      throw new NotApplicableError('a form is sent with a claim of the check only, and this one is given');
    if (!(await hasBuiltInForm()))
      throw new NotApplicableError('the page has a form of the host, whose fields are unknown');
    const title = `POST ${LINK_TITLE} as a form`;
    return send({ method: 'POST', url, title, headers: { ...FORM_TYPE, ...headers }, body: formOf(claim) });
  }

  const newClaim = () => sampleClaim(target.claim);

  async function submitWith(changes: Partial<LinkRequest>): Promise<SentClaim> {
    const link = await createOpenableLink(changes);
    await open(link);
    const claim = newClaim();
    return { link, claim, response: await submitJson(link, claim) };
  }

  /** Does not apply to clients with a form whose own questions the claim would have to answer. */
  function assertKnownQuestions(response: TextResponse): void {
    const unknown = errorPlaces(response).filter((place) => OWN_QUESTION.test(place));
    if (unknown.length === 0) return;
    throw new NotApplicableError(
      `${NO_CLAIM}, because the form of the client requires answers that the check cannot know (pass --claim): ${unknown.join(', ')}`,
    );
  }

  const basicSubmission = once(() => submitWith({}));

  /** Returns one accepted claim, the same for all rules that only read its result. */
  async function sharedSubmission(): Promise<SentClaim> {
    const sent = await basicSubmission();
    assertKnownQuestions(sent.response);
    if (typeof referenceIn(sent.response) === 'string') return sent;
    throw new NotApplicableError(`${NO_CLAIM}: see "${SUBMIT_RULE}"`);
  }

  /** Creates a link, submits a claim as JSON, and asserts that it is accepted. */
  async function submitNewClaim(changes: Partial<LinkRequest> = {}): Promise<SentClaim> {
    await sharedSubmission();
    const sent = await submitWith(changes);
    if (typeof referenceIn(sent.response) === 'string') return sent;
    return fail(sent.response.title, statusLine(sent.response), 'data.reference');
  }

  const fill = once(async () => {
    // At least one claim, because other sessions may have no linked contacts.
    try {
      await sharedSubmission();
      for (let missing = 3 - (await listSessions()).length; missing > 0; missing--) await submitNewClaim();
    } catch {
      // The rules about submissions report why the deployment rejects claims.
    }
  });

  /** Returns the listing. Submits claims first, so that it has three sessions, if the deployment accepts claims. */
  async function listSomeSessions(): Promise<WireSession[]> {
    await fill();
    const list = await listSessions();
    if (list.length === 0)
      throw new NotApplicableError(`the user has no sessions, and ${NO_CLAIM}: pass --user-id or --claim`);
    return list;
  }

  /**
   * Returns the sessions in the listing with the policy number of the claim. All claims have the number of a given claim: then
   * the reference finds the session.
   */
  async function findSessionsOf(
    { policy }: ClaimSubmission,
    { userId, reference }: { userId?: string; reference?: unknown } = {},
  ): Promise<WireSession[]> {
    const matches: WireSession[] = [];
    let path: string | undefined = listingPath(userId);
    // The claim is recent, so it is on one of the first pages.
    for (let count = 0; path !== undefined && matches.length === 0 && count < 30; count++) {
      const { sessions, next }: Awaited<ReturnType<typeof page>> = await page(path);
      matches.push(
        ...sessions.filter(
          (session) =>
            objectOf(session['selectedPolicy'])?.['number'] === policy.number &&
            (target.claim === undefined || reference === undefined || session['reference'] === reference),
        ),
      );
      path = next;
    }
    return matches;
  }

  return {
    ...client,
    target,
    listingPath,
    linkPath,
    getListing,
    listSessions,
    listSomeSessions,
    /** Returns the first result of `listSomeSessions` again, for rules that only read sessions. */
    sampleSessions: once(listSomeSessions),
    linkRequest,
    postLink,
    createLink,
    createOpenableLink,
    unservedReason,
    open,
    submitJson,
    submitForm,
    sharedSubmission,
    submitNewClaim,
    assertKnownQuestions,
    findSessionsOf,
    newClaim,
  };
}

/** Returns whether `callbackUrl` is the only problem of a link request: the client does not allow it. */
export function isCallbackRejected(response: TextResponse): boolean {
  return response.status === 400 && errorPlaces(response).join() === '/callbackUrl';
}

/** Returns why the response to a link request has no link, or undefined. */
function linkProblem(response: TextResponse): string | undefined {
  if (isCallbackRejected(response))
    return 'the client does not allow this callbackUrl: pass one that it allows (--callback-url)';
  return linkIn(response) ? undefined : `no link can be created: see "${LINK_RULE}"`;
}

/** Returns the link in the response to a link request, or undefined. */
function linkIn(response: TextResponse): CreatedLink | undefined {
  const data = memberOf(response, 'data');
  const url = typeof data === 'string' ? parseUrl(data) : undefined;
  return (
    url && {
      url: String(data),
      accessCode: url.pathname.split('/').at(-1) ?? '',
      token: url.searchParams.get('token') ?? '',
    }
  );
}

/** Returns `data.reference` of the response to a claim. */
export function referenceIn(response: TextResponse): unknown {
  return objectOf(memberOf(response, 'data'))?.['reference'];
}

/** Returns a function that starts the work at its first call and returns the same promise to all callers. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
