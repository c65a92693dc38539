// Completes sessions and links of scenarios with seeded data.
import { createAccessCode } from '../../lib/core/access-code.js';
import { deepFreeze } from '../../lib/core/freeze.js';
import { hashAccessCode, type LinkSigner, type Session } from '../../lib/index.js';
import { defaultCallbackUrl } from '../callback.js';
import { parseMoment } from '../moment.js';
import type { ScenarioClient, ScenarioLink, ScenarioSession } from '../scenario/scenario.js';
import { toLinkRequest } from '../scenario/scenario-check.js';
import type { Seeder } from '../seed/seed.js';
import type { StoredLink } from './links.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The default `linkTtlSeconds` of the service. */
const LINK_TTL_MS = DAY;

/** Returns a checked session of a scenario. Members that it leaves out are those of the seeded session. */
export function completeSession(session: ScenarioSession, seeded: Session): Session {
  // JSON removes members that are undefined.
  const {
    date,
    createdAt,
    selectedPolicy = {},
    ...others
  }: ScenarioSession = JSON.parse(JSON.stringify(session));
  const moments = completeMoments(toDate(createdAt), toDate(date), seeded);
  const policy = seeded.selectedPolicy;
  return {
    ...seeded,
    ...others,
    ...moments,
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

function toDate(moment: string | undefined): Date | undefined {
  return moment === undefined ? undefined : parseMoment(moment);
}

/** A session takes as long as the seeded one if only its start or its end is set. */
function completeMoments(
  createdAt: Date | undefined,
  date: Date | undefined,
  seeded: Session,
): Pick<Session, 'createdAt' | 'date'> {
  const durationMs = seeded.date.getTime() - seeded.createdAt.getTime();
  const start = createdAt ?? (date ? new Date(date.getTime() - durationMs) : seeded.createdAt);
  return { createdAt: start, date: date ?? new Date(start.getTime() + durationMs) };
}

/** The seeded end of the validity may be before the start that is set, or the other way round. */
function completeValidity(
  { validFrom, validTo }: { validFrom?: string; validTo?: string },
  seeded: { validFrom: string; validTo: string },
): { validFrom: string; validTo: string } {
  const from = validFrom ?? seeded.validFrom;
  const to = validTo ?? seeded.validTo;
  if (from <= to) return { validFrom: from, validTo: to };
  return validFrom === undefined ? { validFrom: to, validTo: to } : { validFrom: from, validTo: from };
}

/** Returns a link of a scenario as if it had been created before `now`. Moments are whole seconds, as in tokens. */
export function createScenarioLink(
  link: ScenarioLink,
  client: ScenarioClient,
  {
    now,
    ordinal,
    seeder,
    signer,
    publicUrl,
  }: {
    now: Date;
    ordinal: number;
    seeder: Seeder;
    signer: LinkSigner;
    publicUrl: string;
  },
): StoredLink {
  const { clientId } = client;
  const { userId, state = 'created' } = link;
  const request = toLinkRequest(
    link,
    client,
    seeder.contactOf(clientId),
    defaultCallbackUrl(publicUrl, client),
  );
  const accessCode = createAccessCode();
  const before = (ms: number) => new Date(Math.floor((now.getTime() - ms) / 1000) * 1000);
  const createdAt = before(state === 'expired' ? 2 * DAY : 60 * MINUTE);
  const openedAt = before(30 * MINUTE);
  const endedAt = before(15 * MINUTE);
  const expiresAt = new Date(createdAt.getTime() + LINK_TTL_MS);
  const token = signer.sign({ accessCode, clientId, issuedAt: createdAt, expiresAt });
  const isOpened = state === 'opened' || state === 'submitted';
  const session =
    state === 'submitted'
      ? submittedSession(seeder, { clientId, userId, ordinal, openedAt, endedAt })
      : undefined;
  return deepFreeze({
    link: {
      accessCodeHash: hashAccessCode(accessCode),
      clientId,
      userId,
      callbackUrl: request.callbackUrl,
      callbackOnSubmit: request.callbackOnSubmit ?? false,
      config: request.config,
      createdAt,
      expiresAt,
      ...(isOpened && { openedAt }),
      ...(state === 'submitted' && { submittedAt: endedAt }),
      ...(state === 'revoked' && { revokedAt: endedAt }),
    },
    url: `${publicUrl}/verify/${accessCode}?token=${token}`,
    ...(session && { session }),
  });
}

function submittedSession(
  seeder: Seeder,
  link: { clientId: string; userId: string; ordinal: number; openedAt: Date; endedAt: Date },
): Session {
  const { clientId, userId, ordinal } = link;
  const { policy, incident } = seeder.claimOf(clientId, userId, ordinal);
  const session = seeder.extraSessionOf(clientId, userId, -ordinal);
  return {
    ...session,
    date: link.endedAt,
    createdAt: link.openedAt,
    selectedPolicy: {
      ...policy,
      holder: { ...policy.holder, id: policy.holder.id ?? userId },
      linkedContacts: policy.linkedContacts ?? [],
    },
    ...(incident && { incident }),
  };
}
