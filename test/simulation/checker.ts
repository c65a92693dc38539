// Holds a history against the promises of claimlink. It knows the documents, and nothing of the code.
import type { LifeEvent } from '../../lib/core/storage.js';
import type { LinkEvent } from '../../lib/core/types.js';
import type {
  Call,
  CreateResult,
  FinalLink,
  History,
  Operation,
  SeenSession,
  SubmitResult,
} from './history.js';
import type { Violation } from './kind.js';

/** The promises, as docs/evidence/robustness.md names them. */
export type Promised =
  | 'one session per link'
  | 'one link per Idempotency-Key'
  | 'five wrong answers lock a link'
  | 'every acknowledged submission is listed'
  | 'delivery follows the commit'
  | 'every submission is delivered at least once'
  | 'one event per submission'
  | 'one attempt at a time'
  | 'nothing after a revocation'
  | 'nothing after the expiry'
  | 'no client reads data of another'
  | 'readers of listClientSessions get each session once'
  | 'deleteUser deletes everything'
  | 'a changed status is visible'
  | 'a usable link works'
  | 'a revoked key ends'
  | 'ended links have no prefilled data'
  | 'one event for each moment'
  | 'a link ends once'
  | 'a deletion names what is gone'
  | 'only documented errors';

interface BrokenPromise extends Violation {
  promise: Promised;
}

/** What the checker knows of a link. */
interface LinkFacts extends CreateResult {
  name: string;
  client: string;
  user: string;
  label: string;
  create: Operation;
  submissions: Operation[];
  /** By the host, and by the recipient who declines. */
  revocations: Operation[];
  starts: Operation[];
  opens: Operation[];
  /** Calls of the mock that let the link expire. */
  expiries: Operation[];
  unlocks: Operation[];
}

const ENDLESS = Number.POSITIVE_INFINITY;
/** An attempt may last 60 s from the lease. Its storage call takes some of them. */
const LEASE_MS = 60_000;
const STORAGE_CALL_MS = 5000;

const UNUSABLE = ['link_not_found', 'link_expired', 'link_revoked', 'link_submitted'];
/** Wrong answers that a link allows. */
const MAX_WRONG_ANSWERS = 5;

/** Errors that each call may have without a fault of the storage. */
const ERRORS: Partial<Record<Call['kind'], readonly string[]>> = {
  open: [...UNUSABLE, 'recipient_check_required', 'recipient_check_failed', 'link_locked'],
  submit: [...UNUSABLE, 'recipient_check_required', 'recipient_check_failed', 'link_locked'],
  forge: ['link_not_found', 'link_expired'],
  start: [...UNUSABLE, 'recipient_check_required', 'link_locked'],
  decline: UNUSABLE,
  renew: UNUSABLE,
};

/** Returns the first violation, or undefined if the history keeps all promises. */
export function findViolation(history: History): BrokenPromise | undefined {
  return violations(history).next().value ?? undefined;
}

function* violations(history: History): Generator<BrokenPromise, undefined> {
  const { operations, final } = history;
  const links = toLinks(operations);
  yield* unexpectedErrors(operations);
  yield* idempotentCreations(history);
  for (const link of links.values()) {
    yield* usesOfLink(link, history);
    yield* answersOfLink(link, history);
    yield* sessionsOfLink(link, history);
  }
  yield* events(history);
  yield* endEvents(links, history);
  yield* namedLinks(links, history);
  yield* finalLinks(links, final.links);
  yield* deliveries(history);
  yield* reads(links, history);
  yield* readers(history);
  yield* deletions(links, history);
  yield* statuses(history);
  yield* revokedKeys(history);
}

function toLinks(operations: readonly Operation[]): Map<string, LinkFacts> {
  const links = new Map<string, LinkFacts>();
  for (const create of operations) {
    const { call, result } = create;
    if (call.kind !== 'create' || result === undefined) continue;
    const { client, user, link: name } = call;
    const ofLink = operations.filter((operation) => linkOf(operation) === name);
    const of = (...kinds: string[]) => ofLink.filter(({ call: other }) => kinds.includes(other.kind));
    const label = `${client}/${user}/${name}`;
    const lists = {
      submissions: of('submit'),
      revocations: of('revoke', 'decline'),
      starts: of('start'),
      opens: of('open'),
      expiries: of('expire'),
      unlocks: of('unlock'),
    };
    const created = of('create').flatMap((other) => (other.result as CreateResult | undefined) ?? []);
    const [{ linkId } = { linkId: '' }] = created;
    // After a deletion, a second link of this name replaces the first one.
    if (!links.has(name) && created.every((other) => other.linkId === linkId))
      links.set(name, { ...(result as CreateResult), name, client, user, label, create, ...lists });
  }
  return links;
}

function linkOf({ call }: Operation): string | undefined {
  return 'link' in call ? call.link : undefined;
}

/** When a call can no longer have an effect: a call that failed or did not end may take effect at any time. */
function lastEffect({ endedAt, error }: Operation): number {
  return endedAt === undefined || error !== undefined ? ENDLESS : endedAt;
}

function* unexpectedErrors(operations: readonly Operation[]): Generator<BrokenPromise> {
  for (const operation of operations) {
    const { id, call, error } = operation;
    const isJustified =
      error === undefined ||
      (error === 'storage_unavailable' && (operation.hasFaults || sharesFaults(operation, operations))) ||
      (error === 'api_key_invalid' && mayKeyBeInvalid(operation, operations)) ||
      ERRORS[call.kind]?.includes(error);
    if (!isJustified)
      yield { promise: 'only documented errors', detail: `#${id} ${call.kind} failed with ${error}` };
  }
  for (const { id, call, result } of operations) {
    if (call.kind === 'forge' && result !== undefined)
      yield {
        promise: 'only documented errors',
        detail: `#${id} accepted a code with the token of another link`,
      };
    if (call.kind === 'revokeAsOther' && result === true)
      yield { promise: 'no client reads data of another', detail: `#${id} revoked a link of another client` };
  }
}

/** Returns whether a call waited for a storage call of another one: a process stores the choice of events once. */
function sharesFaults({ process, startedAt, endedAt }: Operation, operations: readonly Operation[]): boolean {
  return operations.some(
    (other) =>
      other.hasFaults &&
      other.process === process &&
      other.startedAt <= (endedAt ?? ENDLESS) &&
      (other.endedAt ?? ENDLESS) >= startedAt,
  );
}

/** Returns whether the key of a call may be invalid: the actor has none, it is of another client, or it may have ended. */
function mayKeyBeInvalid({ call, endedAt = ENDLESS }: Operation, operations: readonly Operation[]): boolean {
  if (isUseOf('none', call) || (call.kind === 'list' && call.owner !== call.client)) return true;
  const rotated = operations.flatMap((other) =>
    other.call.kind === 'rotateKey' ? [other.call.keyName] : [],
  );
  // A key that replaces one whose end is near ends as soon: it works as long as that one.
  if ('keyName' in call && !call.keyName.startsWith('key-') && new Set(rotated).size < rotated.length)
    return true;
  return operations.some(
    ({ call: end, startedAt }) =>
      (end.kind === 'revokeKey' || end.kind === 'rotateKey') &&
      isUseOf(end.keyName, call) &&
      startedAt <= endedAt,
  );
}

/** Requests with one Idempotency-Key get one link, unless it was deleted in between. */
function* idempotentCreations({ operations, final, hasRotated }: History): Generator<BrokenPromise> {
  const promise = 'one link per Idempotency-Key';
  const created = operations.filter(({ call, result }) => call.kind === 'create' && result !== undefined);
  for (const [index, first] of created.entries()) {
    const { linkId, token, expiresAt } = first.result as CreateResult;
    for (const second of created.slice(index + 1)) {
      if (linkOf(first) !== linkOf(second)) continue;
      const other = second.result as CreateResult;
      const isDeleted = operations.some(
        ({ call }) =>
          (call.kind === 'deleteUser' && isOwnedBy(first.call, call)) ||
          (call.kind === 'expire' && call.link === linkOf(first)) ||
          (call.kind === 'sweep' && call.before > Math.min(expiresAt, other.expiresAt)),
      );
      if ((linkId !== other.linkId || token !== other.token) && !isDeleted)
        yield { promise, detail: `#${first.id} and #${second.id} got two URLs` };
    }
  }
  // Processes with two rings may both insert a link: docs/contract.md says so.
  if (hasRotated) return;
  const requested = operations.flatMap(({ call }) =>
    call.kind === 'create' ? [`${call.client}/${call.user}/${call.link}`] : [],
  );
  for (const owner of Object.keys(final.listings)) {
    const names = new Set(requested.filter((name) => name.startsWith(`${owner}/`)));
    const stored = final.links.filter(({ client, user }) => `${client}/${user}` === owner);
    if (stored.length > names.size)
      yield { promise, detail: `${owner} has ${stored.length} links for ${names.size} keys` };
  }
}

function isOwnedBy(create: Call, deletion: Call): boolean {
  return (
    'user' in create &&
    'user' in deletion &&
    create.client === deletion.client &&
    create.user === deletion.user
  );
}

/** What a link gives for which answers, and after how many wrong ones it is locked. */
function* answersOfLink(
  { name, submissions, opens, unlocks }: LinkFacts,
  { operations }: History,
): Generator<BrokenPromise> {
  const promise = 'five wrong answers lock a link';
  const uses = [...submissions, ...opens];
  const failed = uses.filter(({ error }) => error === 'recipient_check_failed');
  // A right answer that is under way during an unlock may return the attempt of a wrong one.
  const right = unlocks.length === 0 ? [] : uses.filter((use) => answerOf(use) === 'right');
  if (failed.length > MAX_WRONG_ANSWERS * (unlocks.length + 1) + right.length)
    yield { promise, detail: `${name} rejected ${failed.length} answers` };
  for (const use of uses) {
    const { id, startedAt, endedAt = ENDLESS, result } = use;
    const answer = answerOf(use);
    if (answer === undefined || result === undefined || (result as SubmitResult | null)?.repeated) continue;
    // A link that has lost its prefill asks nothing, and shows nothing of it.
    const isReduced = operations.some(
      (other) => other.call.kind === 'reduceLinks' && other.startedAt <= endedAt,
    );
    if (answer !== 'right' && !isReduced)
      yield { promise, detail: `#${id} got ${name} with the answer ${answer}` };
    const unlockedAt = Math.max(
      -1,
      ...unlocks.filter((unlock) => unlock.startedAt <= endedAt).map(lastEffect),
    );
    const before = failed.filter(
      (other) => other.startedAt > unlockedAt && (other.endedAt ?? ENDLESS) < startedAt,
    );
    if (before.length >= MAX_WRONG_ANSWERS && !isReduced)
      yield { promise, detail: `#${id} got ${name} after ${before.length} wrong answers` };
  }
}

function* usesOfLink(link: LinkFacts, { operations }: History): Generator<BrokenPromise> {
  const { submissions, revocations, opens, expiresAt } = link;
  const accepted = submissions.filter(({ result }) => result !== undefined);
  const first = accepted.filter(({ result }) => !(result as SubmitResult).repeated);
  const revoked = revocations.filter(({ result }) => result === true);
  const opened = opens.filter(({ result }) => result !== undefined);

  for (const { id, clock } of [...first, ...opened])
    if (clock.from >= expiresAt)
      yield {
        promise: 'nothing after the expiry',
        detail: `#${id} succeeded after the expiry of ${link.name}`,
      };
  for (const expiry of link.expiries)
    for (const { id, startedAt, clock } of [...first, ...opened])
      if (startedAt > (expiry.endedAt ?? ENDLESS) && clock.from >= expiry.clock.to)
        yield { promise: 'nothing after the expiry', detail: `#${id} succeeded after #${expiry.id}` };
  for (const { id, clock } of revoked)
    if (clock.from >= expiresAt)
      yield { promise: 'nothing after the expiry', detail: `#${id} revoked ${link.name} after its expiry` };

  const revokeAll = operations.filter(
    ({ call, result, clock }) =>
      call.kind === 'revokeAll' &&
      call.client === link.client &&
      call.user === link.user &&
      result !== undefined &&
      clock.to < expiresAt,
  );
  for (const revocation of revoked)
    for (const { id, startedAt } of [...accepted, ...opened])
      if (startedAt > (revocation.endedAt ?? ENDLESS))
        yield { promise: 'nothing after a revocation', detail: `#${id} succeeded after #${revocation.id}` };
  // revokeLinks revokes each usable link: not one that is submitted, or expired for a clock that is ahead.
  for (const revocation of revokeAll)
    for (const { id, startedAt } of [...first, ...opened])
      if (
        startedAt > (revocation.endedAt ?? ENDLESS) &&
        (link.create.endedAt ?? ENDLESS) < revocation.startedAt
      )
        yield { promise: 'nothing after a revocation', detail: `#${id} succeeded after #${revocation.id}` };
  if (revoked.length > 0 && first.length > 0)
    yield {
      promise: 'nothing after a revocation',
      detail: `${link.name} was submitted by #${first[0]?.id} and revoked by #${revoked[0]?.id}`,
    };
  if (revoked.length > 1)
    yield { promise: 'nothing after a revocation', detail: `${link.name} was revoked twice` };
  for (const submission of accepted)
    for (const { id, startedAt } of opened)
      if (startedAt > (submission.endedAt ?? ENDLESS))
        yield {
          promise: 'one session per link',
          detail: `#${id} opened ${link.name} after #${submission.id}`,
        };

  yield* rejections(link, operations);
}

/** A link is rejected for a reason only. */
function* rejections(link: LinkFacts, operations: readonly Operation[]): Generator<BrokenPromise> {
  const { submissions, revocations, opens, starts, expiresAt } = link;
  const declines = revocations.filter(({ call }) => call.kind === 'decline');
  const before = (operation: Operation, others: readonly Operation[]) =>
    others.some(({ startedAt }) => startedAt <= (operation.endedAt ?? ENDLESS));
  const revokers = [
    ...revocations,
    ...operations.filter(({ call }) => call.kind === 'revokeAll' && isOwner(call, link)),
  ];
  const isExpiredFor = (time: number) => time > expiresAt || link.expiries.length > 0;
  const removers = operations.filter(
    ({ call }) =>
      (call.kind === 'deleteUser' && isOwner(call, link)) ||
      (call.kind === 'sweep' && isExpiredFor(call.before)),
  );
  const purges = operations.filter(({ call }) => call.kind === 'purge');
  // Right answers have an attempt while they are compared, and keep it if it could not be returned.
  const answeredBefore = (operation: Operation) =>
    [...submissions, ...opens].filter(
      (other) =>
        other !== operation &&
        ['right', 'wrong'].includes(answerOf(other) ?? '') &&
        other.startedAt <= (operation.endedAt ?? ENDLESS),
    );
  for (const operation of [...submissions, ...opens, ...starts, ...declines]) {
    const { id, error, clock } = operation;
    const isJustified =
      error === undefined ||
      error === 'storage_unavailable' ||
      (error === 'link_expired' && (clock.to >= expiresAt || before(operation, link.expiries))) ||
      (error === 'link_revoked' && before(operation, revokers)) ||
      (error === 'link_submitted' && before(operation, submissions)) ||
      (error === 'link_not_found' && before(operation, [...removers, ...purges])) ||
      (error === 'recipient_check_required' && (answerOf(operation) ?? 'none') === 'none') ||
      (error === 'recipient_check_failed' && answerOf(operation) === 'wrong') ||
      // No attempt is left either if the link was deleted meanwhile.
      (error === 'link_locked' &&
        (answeredBefore(operation).length >= MAX_WRONG_ANSWERS || before(operation, removers)));
    if (!isJustified)
      yield { promise: 'a usable link works', detail: `#${id} failed with ${error} for no reason` };
    // The session exists, so a repetition gets its reference.
    if (
      operation.call.kind === 'submit' &&
      error === 'link_submitted' &&
      !before(operation, [...removers, ...purges])
    )
      yield { promise: 'one session per link', detail: `#${id} did not get the first submission` };
  }
}

function answerOf({ call }: Operation): string | undefined {
  return 'answer' in call ? call.answer : undefined;
}

function isUseOf(keyName: string, call: Call): boolean {
  return (call.kind === 'list' || call.kind === 'create') && call.keyName === keyName;
}

function isOwner(call: Call, { client, user }: { client: string; user: string }): boolean {
  return 'user' in call && call.client === client && call.user === user;
}

/** Returns whether a call may have deleted the session of this submission before this time. */
function mayBeDeleted(
  link: { client: string; user: string },
  submittedAt: number,
  clock: { from: number },
  until: number,
  operations: readonly Operation[],
): boolean {
  return operations.some(
    (operation) =>
      operation.startedAt <= until &&
      lastEffect(operation) >= submittedAt &&
      ((operation.call.kind === 'deleteUser' && isOwner(operation.call, link)) ||
        (operation.call.kind === 'purge' && operation.call.before > clock.from)),
  );
}

function* sessionsOfLink(link: LinkFacts, { operations, final }: History): Generator<BrokenPromise> {
  const accepted = link.submissions.filter(({ result }) => result !== undefined);
  const results = accepted.map(({ result }) => result as SubmitResult);
  const references = new Set(results.map(({ reference }) => reference));
  if (references.size > 1 || results.filter(({ repeated }) => !repeated).length > 1)
    yield {
      promise: 'one session per link',
      detail: `${link.name} has the results ${results.map((result) => JSON.stringify(result)).join(', ')}`,
    };
  const listed = final.listings[`${link.client}/${link.user}`] ?? [];
  const ofLink = listed.filter(({ label }) => label === link.label);
  if (ofLink.length > 1)
    yield {
      promise: 'one session per link',
      detail: `${link.name} has ${ofLink.length} sessions at the end`,
    };
  for (const { id, startedAt, clock, result } of accepted) {
    const { reference } = result as SubmitResult;
    // A repetition gets a session whose submission may have begun earlier.
    const begin = Math.min(startedAt, ...link.submissions.map((submission) => submission.startedAt));
    const earliest = { from: Math.min(clock.from, ...link.submissions.map((other) => other.clock.from)) };
    const isThere = ofLink.some((session) => session.reference === reference);
    if (!isThere && !mayBeDeleted(link, begin, earliest, ENDLESS, operations))
      yield {
        promise: 'every acknowledged submission is listed',
        detail: `${reference} of #${id} is missing at the end`,
      };
  }
}

function* finalLinks(links: Map<string, LinkFacts>, stored: readonly FinalLink[]): Generator<BrokenPromise> {
  for (const { linkId, state, reference, hasPrefill } of stored) {
    if (hasPrefill && (state === 'submitted' || state === 'revoked'))
      yield { promise: 'ended links have no prefilled data', detail: `a ${state} link has prefilled data` };
    const link = [...links.values()].find((facts) => facts.linkId === linkId);
    if (link === undefined) continue;
    const isSubmitted = link.submissions.some(({ result }) => result !== undefined);
    const isRevoked = link.revocations.some(({ result }) => result === true);
    if (isSubmitted && state !== 'submitted')
      yield {
        promise: 'one session per link',
        detail: `${link.name} was submitted and is ${state} at the end`,
      };
    if (isRevoked && state !== 'revoked')
      yield {
        promise: 'nothing after a revocation',
        detail: `${link.name} was revoked and is ${state} at the end`,
      };
    if (reference !== undefined && link.submissions.length === 0)
      yield { promise: 'one session per link', detail: `${link.name} has a session without a submission` };
  }
}

function* deliveries(history: History): Generator<BrokenPromise> {
  const { operations, attempts, final, delivers } = history;
  for (const { reference, label, client, isCommitted, startedAt } of attempts) {
    const [, user = ''] = label.split('/');
    const mayBeGone = mayBeDeleted({ client, user }, 0, { from: 0 }, startedAt, operations);
    if (!isCommitted && !mayBeGone)
      yield {
        promise: 'delivery follows the commit',
        detail: `${reference} was delivered before its commit`,
      };
  }
  if (final.undelivered > 0)
    yield {
      promise: 'every submission is delivered at least once',
      detail: `${final.undelivered} events stay undelivered`,
    };
  for (const session of delivers ? Object.values(final.listings).flat() : []) {
    const ofSession = attempts.filter(
      ({ label, reference }) => label === session.label && reference === session.reference,
    );
    if (!ofSession.some(({ outcome }) => outcome === 'handled'))
      yield {
        promise: 'every submission is delivered at least once',
        detail: `${session.reference} was never handled by onSubmit`,
      };
  }
  for (const { label, reference, eventId } of attempts)
    if (
      attempts.some(
        (other) => other.label === label && other.reference === reference && other.eventId !== eventId,
      )
    )
      yield { promise: 'one event per submission', detail: `${reference} has events with several ids` };
  yield* leases(history);
}

/** The attempts to deliver an event of any type follow each other. */
function* leases({ attempts, told, clocksAgree }: History): Generator<BrokenPromise> {
  if (!clocksAgree) return;
  const ofLinks = told.map(({ event, ...call }) => ({ ...call, eventId: event.id, subject: event.type }));
  const ofClaims = attempts.map(({ reference, ...call }) => ({ ...call, subject: reference }));
  const byStart = [...ofClaims, ...ofLinks].sort((a, b) => a.startedAt - b.startedAt);
  for (const [index, attempt] of byStart.entries()) {
    const next = byStart.slice(index + 1).find(({ eventId }) => eventId === attempt.eventId);
    if (next === undefined) continue;
    const isEarly =
      next.startedAt < (attempt.endedAt ?? ENDLESS) &&
      next.startedAt < attempt.startedAt + LEASE_MS - STORAGE_CALL_MS;
    if (isEarly || next.attempt <= attempt.attempt)
      yield {
        promise: 'one attempt at a time',
        detail: `attempt ${next.attempt} of ${next.subject} began during attempt ${attempt.attempt}, or has its number`,
      };
  }
}

/** What each read may and must contain. */
function* reads(links: Map<string, LinkFacts>, { operations, final }: History): Generator<BrokenPromise> {
  const listings = Object.entries(final.listings).map(([owner, sessions]) => ({
    owner,
    sessions,
    id: 'the end',
  }));
  for (const { id, call, result } of operations)
    if (call.kind === 'list' && result !== undefined)
      listings.push({
        owner: `${call.client}/${call.user}`,
        sessions: result as SeenSession[],
        id: `#${id}`,
      });
  for (const { owner, sessions, id } of listings)
    for (const { label, reference } of sessions)
      if (!label.startsWith(`${owner}/`))
        yield {
          promise: 'no client reads data of another',
          detail: `${id}: ${reference} of ${label} is in ${owner}`,
        };

  const clientReads = Object.entries(final.clientSessions).map(([client, sessions]) => ({
    client,
    sessions,
  }));
  for (const { call, result } of operations)
    if (call.kind === 'follow' && result !== undefined)
      clientReads.push({ client: call.client, sessions: result as SeenSession[] });
  for (const { client, sessions } of clientReads)
    for (const { label, reference } of sessions)
      if (!label.startsWith(`${client}/`))
        yield {
          promise: 'no client reads data of another',
          detail: `${reference} of ${label} is read by ${client}`,
        };

  for (const { id, call, startedAt, endedAt = ENDLESS, result } of operations) {
    if (call.kind !== 'list' || result === undefined) continue;
    for (const link of links.values()) {
      if (!isOwner(call, link)) continue;
      for (const submission of link.submissions) {
        if (submission.result === undefined || (submission.endedAt ?? ENDLESS) >= startedAt) continue;
        const { reference } = submission.result as SubmitResult;
        const begin = Math.min(...link.submissions.map((other) => other.startedAt));
        const clock = { from: Math.min(...link.submissions.map((other) => other.clock.from)) };
        const isListed = (result as SeenSession[]).some((session) => session.reference === reference);
        if (!isListed && !mayBeDeleted(link, begin, clock, endedAt, operations))
          yield {
            promise: 'every acknowledged submission is listed',
            detail: `#${id} does not list ${reference} of #${submission.id}`,
          };
      }
    }
  }
}

function* readers({ operations, final }: History): Generator<BrokenPromise> {
  const promise = 'readers of listClientSessions get each session once';
  const key = ({ reference, label }: SeenSession) => `${reference} of ${label}`;
  const all = { ...final.readers };
  for (const [client, sessions] of Object.entries(final.clientSessions))
    all[`${client}/new reader`] = sessions;
  for (const [reader, sessions] of Object.entries(all)) {
    const names = sessions.map(key);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) yield { promise, detail: `${reader} got ${twice} twice` };
    const [client = ''] = reader.split('/');
    // Another call of this reader may have been lost with its process, after the cursor moved.
    for (const [owner, sessions] of Object.entries(final.listings)) {
      if (!owner.startsWith(`${client}/`)) continue;
      const missing = sessions.map(key).find((name) => !names.includes(name));
      if (missing !== undefined) yield { promise, detail: `${reader} did not get ${missing}` };
    }
  }
  for (const { id, call, startedAt, result } of operations) {
    if (call.kind !== 'follow' || result === undefined) continue;
    const seenBefore = operations.filter(
      (other) =>
        other.call.kind === 'follow' && other.call.reader === call.reader && other.startedAt < startedAt,
    );
    if (seenBefore.length > 0) continue;
    // The first read of a reader has everything that was acknowledged before.
    for (const submission of operations) {
      const { call: submit, result: submitted, endedAt = ENDLESS } = submission;
      if (submit.kind !== 'submit' || submitted === undefined || endedAt >= startedAt) continue;
      const { reference } = submitted as SubmitResult;
      const isThis = (session: SeenSession) =>
        session.reference === reference &&
        session.label.startsWith(`${call.client}/`) &&
        session.label.endsWith(`/${submit.link}`);
      const isKept = Object.values(final.listings).flat().some(isThis);
      if (isKept && !(result as SeenSession[]).some(isThis))
        yield { promise, detail: `#${id} does not have ${reference}, which existed` };
    }
  }
}

/** Types of events of which a link has at most one. */
const ONCE = ['link.started', 'link.expiring', 'link.expired', 'link.revoked', 'link.declined'];
/** Types of events that do not follow the end of a link. */
const ENDS = ['link.expiring', 'link.expired', 'link.revoked', 'link.declined'];
const RENEWAL_INTERVAL_MS = 3_600_000;
/** Moments that are no events. */
const MOMENTS_ONLY = ['link.unlocked', 'claim.repeated'];

/** The events of each link: chosen, without gaps, once where it must be, and delivered. */
function* events({ told, chosen, final }: History): Generator<BrokenPromise> {
  const promise = 'one event for each moment';
  const byId = new Map(told.map(({ event }) => [event.id, event]));
  const byLink = new Map<string, Omit<LinkEvent, 'attempt'>[]>();
  for (const event of [...byId.values()].filter(isLinkEvent))
    byLink.set(event.linkId, [...(byLink.get(event.linkId) ?? []), event]);
  for (const { type } of byId.values())
    if (!chosen.includes(type)) yield { promise, detail: `${type} is an event and was not chosen` };
  for (const [linkId, ofLink] of byLink) {
    const name = linkId.slice(0, 8);
    const sequences = ofLink.map(({ sequence }) => sequence);
    if (new Set(sequences).size < sequences.length)
      yield { promise, detail: `${name} has events with the sequences ${sequences}` };
    for (const type of ONCE)
      if (ofLink.filter((event) => event.type === type).length > 1)
        yield { promise, detail: `${name} has two events ${type}` };
    const renewals = ofLink
      .filter(({ type }) => type === 'link.renewal_requested')
      .sort((a, b) => a.sequence - b.sequence);
    for (const [index, { at }] of renewals.slice(1).entries())
      if (at.getTime() - (renewals[index]?.at.getTime() ?? 0) < RENEWAL_INTERVAL_MS)
        yield { promise, detail: `${name} has two renewals within an hour` };
  }
  for (const { linkId, moments, expiresAt } of final.links) {
    const name = linkId.slice(0, 8);
    const ofLink = byLink.get(linkId) ?? [];
    for (const [index, { type, at }] of moments.entries()) {
      const event = ofLink.find(({ sequence }) => sequence === index + 1);
      const isEvent = !MOMENTS_ONLY.includes(type) && chosen.some((choice) => choice === type);
      const isAsMoment = event?.type === type && event.at.getTime() === at.getTime();
      if (isEvent ? !isAsMoment : event !== undefined)
        yield { promise, detail: `${name} has the moment ${index + 1} ${type} and the event ${event?.type}` };
      const isHandled = told.some((call) => call.event.id === event?.id && call.outcome === 'handled');
      if (isEvent && !isHandled) yield { promise, detail: `${type} of ${name} was never handled by onEvent` };
    }
    for (const { sequence, type, at } of ofLink) {
      if (sequence > moments.length)
        yield { promise, detail: `${name} has no moment ${sequence} of ${type}` };
      if (type === 'link.expired' && at.getTime() !== expiresAt)
        yield { promise, detail: `${name} has link.expired at another time than its end` };
    }
    const locks = moments.filter(({ type }) => type === 'link.locked' || type === 'link.unlocked');
    for (const [index, { type }] of locks.entries())
      if (type === (locks[index - 1]?.type ?? 'link.unlocked'))
        yield { promise, detail: `${name} has ${type} twice` };
  }
}

function isLinkEvent(event: LifeEvent): event is Omit<LinkEvent, 'attempt'> {
  return event.type !== 'data.deleted';
}

/** No event tells that a link expires that has ended otherwise, and each link that has expired has its event. */
function* endEvents(
  links: Map<string, LinkFacts>,
  { told, chosen, final, operations }: History,
): Generator<BrokenPromise> {
  const promise = 'a link ends once';
  const ofLinks = told.map(({ event }) => event).filter(isLinkEvent);
  for (const { linkId, type, sequence } of ofLinks.filter(({ type }) => /revoked|declined/.test(type)))
    for (const later of ofLinks)
      if (later.linkId === linkId && later.sequence > sequence && ENDS.includes(later.type))
        yield { promise, detail: `${linkId.slice(0, 8)} has ${later.type} after ${type}` };
  for (const link of links.values()) {
    const ends = [
      ...link.submissions.filter(({ result }) => result !== undefined),
      ...link.revocations.filter(({ result }) => result === true),
    ];
    const endedAt = Math.min(...ends.map((end) => end.endedAt ?? ENDLESS));
    for (const event of ofLinks.filter(({ linkId }) => linkId === link.linkId)) {
      const isDue = event.type === 'link.expiring' || event.type === 'link.expired';
      // Another process may have told it before, if its clock was ahead.
      const mayHaveTold = operations.some(
        ({ call, startedAt, clock }) =>
          ['deliver', 'sweep', 'renew'].includes(call.kind) &&
          startedAt <= endedAt &&
          clock.to >= event.at.getTime(),
      );
      if (isDue && !mayHaveTold && endedAt < ENDLESS)
        yield { promise, detail: `${event.type} of ${link.name} comes after its end` };
    }
  }
  for (const { linkId, state } of final.links)
    if (state === 'expired' && chosen.includes('link.expired'))
      if (!ofLinks.some((event) => event.linkId === linkId && event.type === 'link.expired'))
        yield { promise, detail: `${linkId.slice(0, 8)} has expired without an event` };
}

/**
 * Events of deletions name a link without a claim once, when it is deleted. They name a link with a claim when its session is
 * deleted, and may do so again when the link is. No link is named while its session is left.
 */
function* namedLinks(
  links: Map<string, LinkFacts>,
  { told, chosen, final, operations }: History,
): Generator<BrokenPromise> {
  const promise = 'a deletion names what is gone';
  const byId = new Map(told.map((call) => [call.event.id, call]));
  const namings = [...byId.values()].flatMap(({ event, startedAt }) =>
    event.type === 'data.deleted' ? event.linkIds.map((linkId) => ({ linkId, startedAt })) : [],
  );
  const states = new Map(final.links.map(({ linkId, state }) => [linkId, state]));
  const listings = [{ sessions: Object.values(final.listings).flat(), startedAt: ENDLESS }];
  for (const { call, result, startedAt } of operations)
    if (call.kind === 'list' && result !== undefined)
      listings.push({ sessions: result as SeenSession[], startedAt });
  for (const { name, linkId, label, submissions } of links.values()) {
    const namedAt = namings.filter((naming) => naming.linkId === linkId).map(({ startedAt }) => startedAt);
    const isListed = listings.map(({ sessions, startedAt }) => ({
      startedAt,
      hasSession: sessions.some((session) => session.label === label),
    }));
    const state = states.get(linkId);
    const mayHaveClaim = submissions.some(
      ({ error }) => error === undefined || error === 'storage_unavailable',
    );
    if (namedAt.length > (mayHaveClaim ? 2 : 1))
      yield { promise, detail: `${name} is named ${namedAt.length} times` };
    if (namedAt.length > 0 && state !== undefined && state !== 'submitted')
      yield { promise, detail: `${name} is named and exists, ${state}` };
    if (isListed.some(({ hasSession, startedAt }) => hasSession && startedAt > Math.min(...namedAt)))
      yield { promise, detail: `${name} is named, and its session exists` };
    const isGone = isListed[0]?.hasSession === false && (state === undefined || state === 'submitted');
    if (isGone && chosen.includes('data.deleted') && namedAt.length === 0)
      yield { promise, detail: `${name} is gone, and no event names it` };
  }
}

/** After deleteUser, nothing is left of links that existed before. */
function* deletions(links: Map<string, LinkFacts>, { operations, final }: History): Generator<BrokenPromise> {
  for (const deletion of operations) {
    const { id, call, result, startedAt } = deletion;
    if (call.kind !== 'deleteUser' || result === undefined) continue;
    for (const link of links.values()) {
      if (!isOwner(call, link) || (link.create.endedAt ?? ENDLESS) >= startedAt) continue;
      const listed = final.listings[`${call.client}/${call.user}`] ?? [];
      if (listed.some(({ label }) => label === link.label))
        yield {
          promise: 'deleteUser deletes everything',
          detail: `the session of ${link.name} survives #${id}`,
        };
      if (final.links.some(({ linkId }) => linkId === link.linkId))
        yield { promise: 'deleteUser deletes everything', detail: `${link.name} survives #${id}` };
    }
  }
}

/** A listing has the status of a change that no later change replaced. */
function* statuses({ operations, final }: History): Generator<BrokenPromise> {
  const listings = Object.values(final.listings).map((sessions) => ({
    sessions,
    startedAt: ENDLESS,
    endedAt: ENDLESS,
  }));
  for (const { call, result, startedAt, endedAt = ENDLESS } of operations)
    if (call.kind === 'list' && result !== undefined)
      listings.push({ sessions: result as SeenSession[], startedAt, endedAt });
  for (const { sessions, startedAt, endedAt } of listings) {
    for (const { reference, label, status } of sessions) {
      const [client, , name] = label.split('/');
      const changes = operations.filter(
        ({ call, startedAt: begin }) =>
          call.kind === 'update' &&
          call.client === client &&
          call.reference === reference &&
          begin <= endedAt,
      );
      // A session that was deleted had this reference before.
      if (changes.some((change) => linkOf(change) !== name)) continue;
      const written = [
        { status: 'submitted', begin: -1, end: -1 },
        ...changes.map((change) => ({
          status: 'status' in change.call ? change.call.status : '',
          begin: change.startedAt,
          end: lastEffect(change),
        })),
      ];
      const acknowledged = changes.filter(({ result }) => typeof result === 'string');
      const possible = written.filter(
        ({ end }) =>
          !acknowledged.some((later) => later.startedAt > end && (later.endedAt ?? ENDLESS) < startedAt),
      );
      if (!possible.some((value) => value.status === status))
        yield {
          promise: 'a changed status is visible',
          detail: `${reference} has the replaced status ${status}`,
        };
    }
  }
}

function* revokedKeys({ operations, cacheSeconds }: History): Generator<BrokenPromise> {
  for (const end of operations) {
    const { call, result, endedAt = ENDLESS } = end;
    const ends =
      (call.kind === 'revokeKey' && result === true) ||
      (call.kind === 'rotateKey' && (result as { oldKeyEnds?: boolean } | null)?.oldKeyEnds === true);
    if (!ends || !('keyName' in call)) continue;
    for (const use of operations) {
      if (!isUseOf(call.keyName, use.call) || use.result === undefined) continue;
      const delayMs = use.process === end.process ? 0 : cacheSeconds * 1000;
      // The end of a key is a time, which a clock behind has not reached.
      if (use.startedAt > endedAt + delayMs && use.clock.from >= end.clock.to)
        yield { promise: 'a revoked key ends', detail: `#${use.id} used the key that #${end.id} ended` };
    }
  }
  for (const { id, call, result } of operations)
    if (call.kind === 'list' && call.owner !== call.client && result !== undefined)
      yield {
        promise: 'no client reads data of another',
        detail: `#${id} read with a key of another client`,
      };
}
