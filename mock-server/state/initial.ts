// The initial state of clients: from options, from a scenario (completed with seeded data), or for a client added later.
import { createAccessCode } from '../../lib/core/credentials.js';
import { deepFreeze } from '../../lib/core/plain-data.js';
import { noticeOf, toSelectedPolicy, toSessionLink } from '../../lib/core/stored-claim.js';
import {
  hashAccessCode,
  type Link,
  type LinkMoment,
  type LinkSigner,
  type Session,
  type SessionRecord,
} from '../../lib/index.js';
import type { ScenarioClient, ScenarioLink, ScenarioSession } from '../control/scenario.js';
import type { ActiveFault, Fault } from '../control/types.js';
import { defaultCallbackUrl } from '../scenario/callback-url.js';
import { toLinkRequest } from '../scenario/scenario-check.js';
import { DEFAULT_USER_IDS, SPECIAL_USERS } from '../schemas/defaults.js';
import { parseMoment } from '../schemas/moment.js';
import type { Seeder } from '../seed/seed.js';
import type { ClientState, SavedPhoto } from './client-records.js';
import type { ClockSetting } from './clock.js';
import { planChanges } from './later.js';
import type { InitialClient } from './mock-client.js';
import type { ResolvedMockOptions } from './options.js';
import { toSavedPhoto } from './photos.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface InitialContext {
  options: ResolvedMockOptions;
  publicUrl: string;
  seeder: Seeder;
  signer: LinkSigner;
  activate(fault: Fault): ActiveFault;
}

/** Returns the faults that are set for all clients from the start. */
export function initialDefaultFaults({ latencyMs, faults, scenario }: ResolvedMockOptions): Fault[] {
  return [
    ...(latencyMs === 0 ? [] : [{ delayMs: latencyMs }]),
    ...SPECIAL_USERS.flatMap(({ id, fault }) => (fault ? [{ userId: id, ...fault }] : [])),
    ...(scenario?.faults ?? []),
    ...faults.filter(({ clientId }) => clientId === undefined),
  ];
}

/**
 * Returns a client with the data of its scenario, if there is one, and with the faults of the options. `setting` is its
 * clock in place of that of the scenario.
 */
export function initialClient(
  context: InitialContext,
  { users = [], links = [], faults = [], clock = {}, ...client }: ScenarioClient,
  setting?: ClockSetting,
): InitialClient {
  const { options, seeder, activate } = context;
  const { clientId } = client;
  const initialFaults = [
    ...faults.map((fault) => ({ clientId, ...fault })),
    ...options.faults.filter((fault) => fault.clientId === clientId),
  ];
  const written = users.flatMap((user) => user.sessions ?? []);
  const sessions = users.flatMap((user) =>
    completeSessions(user.sessions ?? [], { clientId, userId: user.userId }, seeder),
  );

  return {
    client,
    photos: links.flatMap(({ photos = [] }) => photos),
    userIds: users.length > 0 ? users.map(({ userId }) => userId) : DEFAULT_USER_IDS,
    createInitial(): ClientState {
      const systemTime = options.now().getTime();
      const { now, isFrozen = false } = clock;
      const time = parseMoment(now)?.getTime() ?? systemTime;
      const created = links.map((link, index) => {
        const listed = sessions.find(
          ({ userId, reference }) => userId === link.userId && reference === link.reference,
        );
        return createScenarioLink(context, link, client, new Date(time), index + 1, listed);
      });
      const submitted = created.flatMap(({ link, session }) =>
        session === undefined ? [] : [{ clientId, userId: link.userId, ...session }],
      );
      const listedUsers = users.filter((user) => user.sessions !== undefined).map(({ userId }) => userId);
      const submittedUsers = submitted.map(({ userId }) => userId);
      const references = new Set(submitted.map(({ reference }) => reference));
      const seeded = [...new Set(submittedUsers)]
        .filter((userId) => !listedUsers.includes(userId))
        .flatMap((userId) =>
          seeder.sessionsOf(clientId, userId).map((session) => ({ clientId, userId, ...session })),
        );
      return {
        client,
        storedUsers: [...new Set([...listedUsers, ...submittedUsers])],
        sessions: [...sessions, ...seeded]
          .filter(({ reference }) => !references.has(reference))
          .concat(submitted),
        links: created.map(({ url: _, photos: __, ...stored }) => stored),
        submissions: [],
        changes: planChanges(written, sessions, new Date(time)),
        urls: Object.fromEntries(created.map(({ link, url }) => [link.accessCodeHash, url])),
        answers: Object.fromEntries(
          links.flatMap(({ recipientAnswer }, index) => {
            const linkId = created[index]?.link.accessCodeHash;
            return linkId === undefined || recipientAnswer === undefined ? [] : [[linkId, recipientAnswer]];
          }),
        ),
        photos: Object.fromEntries(
          created.flatMap(({ link, photos }) => (photos.length > 0 ? [[link.accessCodeHash, photos]] : [])),
        ),
        clock: setting ?? { offsetMs: time - systemTime, ...(isFrozen && { frozenAt: time }) },
        faults: initialFaults.map(activate),
        randomCount: 0,
      };
    },
  };
}

/** Completes the checked sessions of a user. Of those without a moment, the first one is the newest, as in the listing. */
export function completeSessions(
  sessions: readonly ScenarioSession[],
  { clientId, userId }: Pick<SessionRecord, 'clientId' | 'userId'>,
  seeder: Seeder,
): SessionRecord[] {
  const extraSession = seeder.extraSessionsOf(clientId, userId);
  const pairs = sessions.map((session, index) => ({
    session,
    isUndated: session.createdAt === undefined && session.date === undefined,
    seeded: extraSession(index + 1),
  }));
  const newestFirst = pairs
    .filter(({ isUndated }) => isUndated)
    .map(({ seeded }) => seeded)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return pairs.map(({ session, isUndated, seeded }) => {
    const base = (isUndated && newestFirst.shift()) || seeded;
    return { clientId, userId, ...completeSession(session, base) };
  });
}

/** Returns a checked session of a scenario. Members that it leaves out are those of the seeded session. */
export function completeSession(session: ScenarioSession, seeded: Session): Session {
  // JSON removes members that are undefined.
  const {
    date,
    createdAt,
    selectedPolicy = {},
    later: _,
    notice,
    ...others
  }: ScenarioSession = JSON.parse(JSON.stringify(session));
  const policy = seeded.selectedPolicy;
  const moments = completeMoments(parseMoment(createdAt), parseMoment(date), seeded);
  return {
    ...seeded,
    ...others,
    ...moments,
    ...(notice && { notice: { ...notice, at: parseMoment(notice.at) ?? moments.date } }),
    selectedPolicy: {
      ...policy,
      ...selectedPolicy,
      ...completeValidity(selectedPolicy, policy),
      holder: { ...policy.holder, ...selectedPolicy.holder },
      linkedContacts: selectedPolicy.linkedContacts ?? policy.linkedContacts,
      vehicle: { ...policy.vehicle, ...selectedPolicy.vehicle },
    },
  };
}

/** A session takes as long as the seeded one if only its start or its end is set. */
function completeMoments(createdAt: Date | undefined, date: Date | undefined, seeded: Session) {
  const durationMs = seeded.date.getTime() - seeded.createdAt.getTime();
  const start = createdAt ?? (date ? inYears(date.getTime() - durationMs) : seeded.createdAt);
  return { createdAt: start, date: date ?? inYears(start.getTime() + durationMs) };
}

const FIRST_MOMENT = new Date('0001-01-01T00:00:00.000Z').getTime();
const LAST_MOMENT = new Date('9999-12-31T23:59:59.999Z').getTime();

/** Returns a moment in the years 1 to 9999, which a storage and a scenario have. */
function inYears(time: number): Date {
  return new Date(Math.min(Math.max(time, FIRST_MOMENT), LAST_MOMENT));
}

/** The seeded end of the validity may be before the start that is set, or the other way round. */
function completeValidity(
  { validFrom, validTo }: { validFrom?: string; validTo?: string },
  seeded: { validFrom: string; validTo: string },
) {
  const from = validFrom ?? seeded.validFrom;
  const to = validTo ?? seeded.validTo;
  if (from <= to || to === '') return { validFrom: from, validTo: to };
  return validFrom === undefined ? { validFrom: to, validTo: to } : { validFrom: from, validTo: from };
}

/**
 * Returns a link of a scenario as if it had been created before `now`. Moments are whole seconds, as in tokens.
 * @param ordinal which of the links of its client it is, from 1
 * @param listed the session of the user with the reference of the link
 */
function createScenarioLink(
  { options, seeder, signer, publicUrl }: InitialContext,
  link: ScenarioLink,
  client: ScenarioClient,
  now: Date,
  ordinal: number,
  listed?: Session,
): ClientState['links'][number] & { url: string; photos: readonly SavedPhoto[] } {
  const { clientId } = client;
  const { userId, state = 'created' } = link;
  const contact = seeder.contactOf(clientId);
  const request = toLinkRequest(link, client, contact, defaultCallbackUrl(publicUrl, client));
  const accessCode = createAccessCode();
  const before = (ms: number) => new Date(Math.floor((now.getTime() - ms) / 1000) * 1000);
  const ttlMs = (options.linkTtlSeconds ?? DAY / 1000) * 1000;
  const ageMs = Math.min(HOUR, ttlMs / 2);
  const createdAt = parseMoment(link.createdAt) ?? before(state === 'expired' ? ttlMs + DAY : ageMs);
  const expiresAt = parseMoment(link.expiresAt) ?? new Date(createdAt.getTime() + ttlMs);
  // A link may be submitted without having been opened.
  const isOpened = state === 'opened' || (state === 'submitted' && link.submittedAt === undefined);
  const openedAt = parseMoment(link.openedAt) ?? (isOpened ? before(ageMs / 2) : undefined);
  const submittedAt = parseMoment(link.submittedAt) ?? before(ageMs / 4);
  const token = signer.sign({ accessCode, clientId, issuedAt: createdAt, expiresAt });

  const stored: Link = {
    accessCodeHash: hashAccessCode(accessCode),
    clientId,
    userId,
    callbackUrl: request.callbackUrl,
    callbackOnSubmit: request.callbackOnSubmit ?? false,
    config: request.config,
    createdAt,
    expiresAt,
    ...(openedAt && { openedAt }),
    ...(state === 'submitted' && { submittedAt }),
    ...(state === 'revoked' && { revokedAt: parseMoment(link.revokedAt) ?? before(ageMs / 4) }),
  };

  const photos = (link.photos ?? []).map(toSavedPhoto);
  const claimed = photos.map(({ photoId, type, size }) => ({ id: photoId, type, size }));

  function submittedSession(): Session {
    if (listed !== undefined) {
      const { incident } = listed;
      const claim = incident && claimed.length > 0 && { incident: { photos: claimed, ...incident } };
      return { ...noticeOf(stored, listed.date), ...listed, ...claim, link: toSessionLink(stored) };
    }
    const { form } = client.settings ?? {};
    const { policy, incident } = seeder.claimOf(clientId, userId, ordinal, form && { form });
    return {
      // Positive ordinals are those of listed sessions: a negative one gives another reference.
      ...seeder.extraSessionsOf(clientId, userId)(-ordinal),
      ...(link.reference !== undefined && { reference: link.reference }),
      date: submittedAt,
      createdAt: openedAt ?? createdAt,
      selectedPolicy: toSelectedPolicy(policy, userId),
      incident: { ...incident, ...(claimed.length > 0 && { photos: claimed }) },
      link: toSessionLink(stored),
      ...noticeOf(stored, submittedAt),
    };
  }

  let last = openedAt ?? createdAt;
  const moments = (link.moments ?? []).map(({ at, ...moment }): LinkMoment => {
    last = parseMoment(at) ?? new Date(last.getTime() + MINUTE);
    return { ...moment, at: last };
  });

  return deepFreeze({
    link: stored,
    ...(moments.length > 0 && { life: { moments } }),
    photos,
    url: `${publicUrl}/verify/${accessCode}?token=${token}`,
    ...(state === 'submitted' && { session: submittedSession() }),
  });
}
