// What the rules of one contract suite share: the deployment, links and submissions made there, what it can do.

import type { ClaimSubmission, LinkRequest } from '../../core/types.js';
import { parseUrl } from '../../core/url.js';
import { type Answer, type ContractClient, createContractClient } from './client.js';
import {
  expect,
  fail,
  isOurProblem,
  jsonOf,
  mediaType,
  NotApplicableError,
  nextTarget,
  objectOf,
  statusLine,
} from './expect.js';
import { FORM_TYPE, formOf, JSON_TYPE, minimalLinkRequest, sampleClaim, WANTS_JSON } from './samples.js';
import type { ResolvedTarget } from './target.js';

/** A rule, before it is bound to a deployment. */
export interface ContractRule {
  name: string;
  check(world: ContractWorld): Promise<void>;
}

/** Rules of one part of the contract. */
export interface ContractSection {
  section: string;
  rules: readonly ContractRule[];
}

/** One session of a listing, unchecked. */
export type WireSession = Readonly<Record<string, unknown>>;

/** A link, in its parts. */
export interface MintedLink {
  /** As it was given. */
  url: string;
  accessCode: string;
  token: string;
}

/** A claim that was sent, and what came back. */
export interface SentClaim {
  link: MintedLink;
  claim: ClaimSubmission;
  answer: Answer;
}

/** The deployment, as the rules see it. Every method rejects with an AssertionError or NotApplicableError. */
export interface ContractWorld extends ContractClient {
  readonly target: ResolvedTarget;
  /** Path of the listing of a user: the target's, of the target's client, unless told otherwise. */
  listingPath(userId?: string, clientId?: string): string;
  linkPath(clientId?: string): string;
  /** The first page of the listing; asserts nothing but that it is an array of objects. */
  sessions(userId?: string): Promise<WireSession[]>;
  /** The listing, which the suite has filled with at least three sessions where claims can be submitted. */
  someSessions(): Promise<WireSession[]>;
  /** `someSessions` as they were at the first call: one listing for all rules that only look at its sessions. */
  sampleSessions(): Promise<WireSession[]>;
  /** POSTs a link request with this body. */
  postLink(body: unknown): Promise<Answer>;
  /** Makes a link; `changes` replace members of a minimal request. */
  mint(changes?: Partial<LinkRequest>): Promise<MintedLink>;
  /** As `mint`, where the pages behind a link are claimlink's. */
  openable(changes?: Partial<LinkRequest>): Promise<MintedLink>;
  open(
    link: Pick<MintedLink, 'url'>,
    headers?: Readonly<Record<string, string>>,
    method?: string,
  ): Promise<Answer>;
  submitJson(link: Pick<MintedLink, 'url'>, body: unknown): Promise<Answer>;
  submitForm(link: MintedLink, claim: ClaimSubmission, headers?: Record<string, string>): Promise<Answer>;
  /** A claim that got in: one for all rules that only look at what became of it. */
  aSubmission(): Promise<SentClaim>;
  /** Makes a link, submits a claim as JSON, and asserts that it got in. */
  submitted(changes?: Partial<LinkRequest>): Promise<SentClaim>;
  /** The sessions of the listing with the claim's policy number. */
  sessionsOf(claim: ClaimSubmission, userId?: string): Promise<WireSession[]>;
}

/** What the pages are called in messages: their URLs hold a token. */
const LINK_TITLE = '/verify/<access_code>?token=<token>';

/** A rule that everything about links stands on: without it the others say nothing. */
export const LINK_RULE = 'a link request is answered 200 with an object whose one member is data, a URL';
/** The same for everything about submitted claims. */
export const SUBMIT_RULE = 'a claim posted as JSON is answered 200 with { data: { reference, redirectUrl } }';

/** Makes the world of a target; nothing is sent before a rule runs. */
export function createContractWorld(target: ResolvedTarget): ContractWorld {
  const client = createContractClient(target);
  const { send } = client;
  const { baseUrl } = target;

  const listingPath = (userId = target.userId, clientId = target.clientId) =>
    `/${encodeURIComponent(clientId)}/sessions/${encodeURIComponent(userId)}`;
  const linkPath = (clientId = target.clientId) => `/${encodeURIComponent(clientId)}/link`;

  async function page(path: string): Promise<{ list: WireSession[]; next: string | undefined }> {
    const answer = await send({ url: path, headers: JSON_TYPE });
    const list = jsonOf(answer);
    expect(Array.isArray(list), answer.title, statusLine(answer), 'a top-level array');
    const found = list.map(
      (session: unknown, index) =>
        objectOf(session) ?? fail(`${answer.title}, session ${index}`, `a ${typeof session}`, 'an object'),
    );
    const target = nextTarget(answer);
    return {
      list: found,
      next: target?.startsWith(`${baseUrl}/`) ? target.slice(baseUrl.length) : undefined,
    };
  }

  const sessions = async (userId?: string) => (await page(listingPath(userId))).list;

  function postLink(body: unknown): Promise<Answer> {
    return send({ method: 'POST', url: linkPath(), headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  async function mintWith(changes: Partial<LinkRequest>): Promise<MintedLink> {
    const answer = await postLink({ ...minimalLinkRequest(target.callbackUrl, target.userId), ...changes });
    const data = objectOf(jsonOf(answer))?.['data'];
    const url = typeof data === 'string' ? parseUrl(data) : undefined;
    if (url === undefined)
      return fail(answer.title, `${statusLine(answer)} without a URL in data`, 'a link for this request');
    return {
      url: String(data),
      accessCode: url.pathname.split('/').at(-1) ?? '',
      token: url.searchParams.get('token') ?? '',
    };
  }

  const basicLink = once(async () => {
    const answer = await postLink(minimalLinkRequest(target.callbackUrl, target.userId));
    const errors = objectOf(jsonOf(answer))?.['errors'];
    const first = Array.isArray(errors) && errors.length === 1 ? objectOf(errors[0]) : undefined;
    if (answer.status === 400 && first?.['pointer'] === '/callbackUrl')
      return 'the client does not allow this callbackUrl: give one that it does (--callback-url)';
    const data = objectOf(jsonOf(answer))?.['data'];
    if (typeof data === 'string' && parseUrl(data)) return undefined;
    return `no link can be made: see "${LINK_RULE}"`;
  });

  async function mint(changes: Partial<LinkRequest> = {}): Promise<MintedLink> {
    // Only where no link at all can be made does a rule that needs one say nothing.
    const reason = await basicLink();
    if (reason !== undefined) throw new NotApplicableError(reason);
    return mintWith(changes);
  }

  function open(
    { url }: Pick<MintedLink, 'url'>,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<Answer> {
    return send({ method, url, title: `${method} ${LINK_TITLE}`, headers });
  }

  function submitJson({ url }: Pick<MintedLink, 'url'>, body: unknown): Promise<Answer> {
    const title = `POST ${LINK_TITLE} as JSON`;
    return send({ method: 'POST', url, title, headers: JSON_TYPE, body: JSON.stringify(body) });
  }

  /** Why rules about pages say nothing; undefined where what answers behind a link is claimlink. */
  const pagesReason = once(async () => {
    const link = await mint();
    let opened: Answer;
    try {
      opened = await open(link);
    } catch (error) {
      // Below {base_url} it must be answered; elsewhere it may be out of reach from here.
      if (link.url.startsWith(`${baseUrl}/`)) throw error;
      return `nothing answers where links lead to, ${new URL(link.url).origin}`;
    }
    const forged = { url: `${link.url.slice(0, link.url.lastIndexOf('/') + 1)}claimlink-check?token=a.b.c` };
    const signs = [await open(forged, WANTS_JSON), await submitJson(link, {}), opened];
    const isForeign = opened.status === 404 || (opened.status === 200 && mediaType(opened) === 'text/html');
    return signs.some(isOurProblem) || !isForeign
      ? undefined
      : 'the host serves /verify itself (widget: false)';
  });

  async function openable(changes: Partial<LinkRequest> = {}): Promise<MintedLink> {
    const reason = await pagesReason();
    if (reason !== undefined) throw new NotApplicableError(reason);
    return mint(changes);
  }

  const hasBuiltInForm = once(async () =>
    (await open(await openable())).body.includes('name="/policy/number"'),
  );

  async function submitForm(
    { url }: MintedLink,
    claim: ClaimSubmission,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    if (!(await hasBuiltInForm()))
      throw new NotApplicableError('the form is not the built-in one: its fields are unknown');
    const title = `POST ${LINK_TITLE} as a form`;
    return send({ method: 'POST', url, title, headers: { ...FORM_TYPE, ...headers }, body: formOf(claim) });
  }

  async function submitWith(changes: Partial<LinkRequest>): Promise<SentClaim> {
    const link = await openable(changes);
    await open(link);
    const claim = sampleClaim();
    return { link, claim, answer: await submitJson(link, claim) };
  }

  const basicSubmission = once(() => submitWith({}));

  async function aSubmission(): Promise<SentClaim> {
    const sent = await basicSubmission();
    if (typeof referenceIn(sent.answer) === 'string') return sent;
    throw new NotApplicableError(`no claim gets in: see "${SUBMIT_RULE}"`);
  }

  async function submitted(changes: Partial<LinkRequest> = {}): Promise<SentClaim> {
    await aSubmission();
    const sent = await submitWith(changes);
    if (typeof referenceIn(sent.answer) === 'string') return sent;
    return fail(sent.answer.title, statusLine(sent.answer), 'data.reference');
  }

  const fill = once(async () => {
    // One at least, since what others submitted may have no linked contacts.
    try {
      await aSubmission();
      for (let missing = 3 - (await sessions()).length; missing > 0; missing--) await submitted();
    } catch {
      // What keeps claims from getting in is for the rules about them to tell.
    }
    return undefined;
  });

  async function someSessions(): Promise<WireSession[]> {
    await fill();
    const list = await sessions();
    if (list.length === 0)
      throw new NotApplicableError('the user has no sessions, and none can be made: give --user-id');
    return list;
  }

  async function sessionsOf({ policy }: ClaimSubmission, userId?: string): Promise<WireSession[]> {
    const found: WireSession[] = [];
    let path: string | undefined = listingPath(userId);
    // The claim is a recent one, so it is on one of the first pages, however small they are.
    for (let count = 0; path !== undefined && found.length === 0 && count < 30; count++) {
      const { list, next }: Awaited<ReturnType<typeof page>> = await page(path);
      found.push(
        ...list.filter((session) => objectOf(session['selectedPolicy'])?.['number'] === policy.number),
      );
      path = next;
    }
    return found;
  }

  return {
    ...client,
    target,
    listingPath,
    linkPath,
    sessions,
    someSessions,
    sampleSessions: once(someSessions),
    postLink,
    mint,
    openable,
    open,
    submitJson,
    submitForm,
    aSubmission,
    submitted,
    sessionsOf,
  };
}

/** `data.reference` of an answer to a claim. */
export function referenceIn(answer: Answer): unknown {
  return objectOf(objectOf(jsonOf(answer))?.['data'])?.['reference'];
}

/** Runs once, at the first call, for all. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
