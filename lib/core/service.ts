// The use cases: list sessions, create a link, open it, submit its claim, revoke it.
import { drawAccessCode, hashAccessCode } from './access-code.js';
import { chain } from './awaitable.js';
import { callbackProblem, redirectTarget } from './callback-url.js';
import { ClaimlinkError, invalidParameter } from './errors.js';
import type { ResolvedOptions } from './options.js';
import type { Report } from './report.js';
import type { LinkId, LinkWithClient, SessionQuery, Storage } from './storage.js';
import type {
  Awaitable,
  ClaimSubmission,
  Client,
  Link,
  LinkRequest,
  OpenLink,
  PageRequest,
  Session,
  SessionPage,
  Submission,
} from './types.js';
import { idProblem, parseClaimSubmission, parseId, parseLinkRequest, parseStatus } from './validators.js';

/** How often a taken access code or reference is drawn again before it counts as a broken generator. */
const ATTEMPTS = 3;
const MAX_CURSOR_LENGTH = 2048;

/** A link that the token opened, with its client and what is to be told about it. */
export interface FoundLink extends LinkWithClient {
  /** The token is past its end, and within the signer's clock tolerance. */
  isTolerated: boolean;
}

/** A link that is there but cannot be used any more: says why, and knows whom to contact. */
export class UnusableLinkError extends ClaimlinkError {
  readonly found: LinkWithClient;

  constructor(code: 'link_expired' | 'link_revoked' | 'link_submitted', found: LinkWithClient) {
    super(code);
    this.found = found;
  }
}

/** The use cases over resolved options; clients are authenticated by the caller. */
export interface Service {
  findClient(clientId: string): Promise<Client>;
  /** `userId` is one already: `parseId` has passed it. */
  listSessions(client: Client, userId: string, page?: PageRequest): Awaitable<SessionPage>;
  createLink(client: Client, body: unknown): Awaitable<{ url: string; expiresAt: Date }>;
  /** The link of a code and token, in a state that can be submitted or was: the state is not checked. */
  findLink(accessCode: string, token: string): Promise<FoundLink>;
  openLink(found: FoundLink, markOpened: boolean): Promise<OpenLink>;
  submitClaim(found: FoundLink, claim: unknown): Promise<Submission>;
  revokeLink(clientId: string, accessCode: string): Promise<boolean>;
}

/** Builds the use cases. `storage` is the options' storage, its calls bounded; `report` gets what `onSubmit` throws. */
export function createService(options: ResolvedOptions, storage: Storage, report: Report): Service {
  const { signer, publicUrl, now } = options;

  async function findClient(clientId: string): Promise<Client> {
    const client = await storage.findClient(parseId(clientId, 'clientId'));
    if (client === undefined) throw new ClaimlinkError('client_not_found');
    return client;
  }

  function listSessions(client: Client, userId: string, page: PageRequest = {}): Awaitable<SessionPage> {
    const { limit = options.maxPageSize, cursor, status } = page;
    if (!Number.isInteger(limit) || limit < 1 || limit > options.maxPageSize) {
      throw invalidParameter('limit', 'limit', `must be a whole number from 1 to ${options.maxPageSize}`);
    }
    if (cursor !== undefined && (cursor === '' || cursor.length > MAX_CURSOR_LENGTH)) {
      throw invalidParameter('cursor', 'cursor', 'is not a cursor that this service returned');
    }
    const query: SessionQuery = { clientId: client.clientId, userId, limit };
    if (cursor !== undefined) query.cursor = cursor;
    if (status !== undefined) query.status = parseStatus(status);
    return storage.listSessions(query);
  }

  function createLink(client: Client, body: unknown): Awaitable<{ url: string; expiresAt: Date }> {
    const request = parseLinkRequest(body, {
      callbackProblem: (callbackUrl) => callbackProblem(callbackUrl, callbackPolicy(client)),
      stepKeys: options.stepKeys,
    });
    // A token counts in whole seconds, and token and link must end at the same moment.
    const createdAt = now();
    const issuedAt = new Date(Math.floor(createdAt.getTime() / 1000) * 1000);
    const expiresAt = new Date(issuedAt.getTime() + options.linkTtlSeconds * 1000);
    return insert(ATTEMPTS);

    function insert(attempts: number): Awaitable<{ url: string; expiresAt: Date }> {
      if (attempts === 0)
        throw new Error(`The storage says that each of ${ATTEMPTS} random access codes is taken.`);
      const { accessCode, accessCodeHash } = drawAccessCode();
      const link = toLink(request, client.clientId, accessCodeHash, createdAt, expiresAt);
      return chain(storage.insertLink(link), (isInserted) => {
        if (!isInserted) return insert(attempts - 1);
        const token = signer.sign({ accessCode, clientId: client.clientId, issuedAt, expiresAt });
        return { url: `${publicUrl}/verify/${accessCode}?token=${token}`, expiresAt };
      });
    }
  }

  function callbackPolicy(client: Client) {
    return {
      callbackOrigins: client.callbackOrigins,
      allowLoopbackCallbacks: options.allowLoopbackCallbacks,
    };
  }

  async function findLink(accessCode: string, token: string): Promise<FoundLink> {
    // Throws before storage is touched for whatever is forged, foreign or expired.
    const at = now();
    const claims = signer.verify(token, at);
    if (claims.accessCode !== accessCode) throw new ClaimlinkError('link_not_found');
    const found = await storage.findLink({
      clientId: claims.clientId,
      accessCodeHash: hashAccessCode(accessCode),
    });
    if (found === undefined) throw new ClaimlinkError('link_not_found');
    const isTolerated =
      claims.expiresAt.getTime() <= at.getTime() && found.link.expiresAt >= claims.expiresAt;
    return { ...found, isTolerated };
  }

  /** The moment to hold a link against: what the signer tolerates is not past its end for us either. */
  function momentFor({ link, isTolerated }: FoundLink): Date {
    const at = now();
    const lastMoment = new Date(link.expiresAt.getTime() - 1);
    return isTolerated && at > lastMoment ? lastMoment : at;
  }

  async function openLink(found: FoundLink, markOpened: boolean): Promise<OpenLink> {
    const { link, client } = found;
    const at = momentFor(found);
    const code = unusableCode(link, at);
    if (code !== undefined) throw new UnusableLinkError(code, found);
    if (markOpened && link.openedAt === undefined) {
      await storage.markLinkOpened({ ...idOf(link), at });
    }
    return {
      clientId: client.clientId,
      ...(client.name !== undefined && { clientName: client.name }),
      userId: link.userId,
      callbackUrl: link.callbackUrl,
      callbackOnSubmit: link.callbackOnSubmit,
      config: link.config,
      openedAt: link.openedAt ?? at,
      expiresAt: link.expiresAt,
    };
  }

  async function submitClaim(found: FoundLink, body: unknown): Promise<Submission> {
    // A repeat gets the first outcome, whatever it carries.
    if (found.session !== undefined) return toSubmission(found, found.session, true);
    const at = momentFor(found);
    const code = unusableCode(found.link, at);
    if (code !== undefined) throw new UnusableLinkError(code, found);
    const claim = parseClaimSubmission(body);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const session = toSession(found.link, at, claim);
      const result = await storage.submitLink({ ...idOf(found.link), at, session });
      switch (result.outcome) {
        case 'submitted':
          notify(found.link, result.session);
          return toSubmission(found, result.session, false);
        case 'already_submitted':
          return toSubmission(found, result.session, true);
        case 'expired':
        case 'revoked':
          throw new UnusableLinkError(`link_${result.outcome}`, found);
        case 'not_found':
          throw new ClaimlinkError('link_not_found');
        case 'reference_taken':
          continue;
      }
    }
    throw new Error(`The storage says that each of ${ATTEMPTS} references of newReference is taken.`);
  }

  function toSession(link: Link, at: Date, { policy, incident }: ClaimSubmission): Session {
    return {
      reference: drawReference('session'),
      date: at,
      camsReference: drawReference('cams'),
      status: 'submitted',
      createdAt: link.openedAt ?? at,
      selectedPolicy: {
        number: policy.number,
        provider: policy.provider,
        holder: {
          firstName: policy.holder.firstName,
          lastName: policy.holder.lastName,
          id: policy.holder.id ?? link.userId,
          phone: policy.holder.phone,
          email: policy.holder.email,
        },
        validFrom: policy.validFrom,
        validTo: policy.validTo,
        linkedContacts: policy.linkedContacts ?? [],
        vehicle: { licensePlate: policy.vehicle.licensePlate },
      },
      ...(incident && { incident }),
    };
  }

  /** A reference that is none would break every listing and redirect: refused before anything is stored. */
  function drawReference(kind: 'session' | 'cams'): string {
    const reference: unknown = options.newReference(kind);
    const problem = typeof reference === 'string' ? idProblem(reference)?.detail : 'must be a string';
    if (typeof reference === 'string' && problem === undefined) return reference;
    throw new TypeError(`What newReference('${kind}') gave must be a reference: it ${problem}.`);
  }

  function toSubmission({ link, client }: FoundLink, session: Session, repeated: boolean): Submission {
    const isAllowed = callbackProblem(link.callbackUrl, callbackPolicy(client)) === undefined;
    return {
      reference: session.reference,
      session,
      ...(isAllowed && { redirectUrl: redirectTarget(link.callbackUrl, session) }),
      callbackOnSubmit: link.callbackOnSubmit,
      repeated,
    };
  }

  function notify(link: Link, session: Session): void {
    const { onSubmit } = options;
    if (onSubmit === undefined) return;
    // Not awaited: the claim is in, and the user need not wait for the host's follow-up.
    Promise.resolve()
      .then(() => onSubmit({ clientId: link.clientId, userId: link.userId, session }))
      .catch((error: unknown) => report(error, undefined));
  }

  async function revokeLink(clientId: string, accessCode: string): Promise<boolean> {
    return storage.revokeLink({
      clientId: parseId(clientId, 'clientId'),
      accessCodeHash: hashAccessCode(accessCode),
      at: now(),
    });
  }

  return { findClient, listSessions, createLink, findLink, openLink, submitClaim, revokeLink };
}

function idOf({ clientId, accessCodeHash }: Link): LinkId {
  return { clientId, accessCodeHash };
}

/** Why a link cannot be used at this moment, or undefined when it can. */
function unusableCode(link: Link, at: Date): 'link_submitted' | 'link_revoked' | 'link_expired' | undefined {
  if (link.submittedAt !== undefined) return 'link_submitted';
  if (link.revokedAt !== undefined) return 'link_revoked';
  return link.expiresAt.getTime() <= at.getTime() ? 'link_expired' : undefined;
}

/** The record to store: the one user id in its string form, so that 42 and "42" are one user. */
function toLink(
  request: LinkRequest,
  clientId: string,
  accessCodeHash: string,
  createdAt: Date,
  expiresAt: Date,
): Link {
  return {
    accessCodeHash,
    clientId,
    userId: String(request.config.currentUserId),
    callbackUrl: request.callbackUrl,
    callbackOnSubmit: request.callbackOnSubmit ?? false,
    config: request.config,
    createdAt,
    expiresAt,
  };
}
