// Makes up whole worlds: every state of links, clocks and keys, and text that is hard on files.
import {
  hashAccessCode,
  hashApiKey,
  type Session,
  type SessionRecord,
  type StoredLink,
} from '../../lib/index.js';
import type { WorldFile } from '../../mock-server/world/persist-format.js';
import type { ClientSnapshot, ClockSetting, LinkRecord } from '../../mock-server/world/world-snapshot.js';
import type { Dice } from './dice.js';

const TEXTS = [
  '',
  'a',
  'Zoë',
  '李小龍',
  '🪨🧱',
  'a "quoted" \\ text',
  'tab\tnew\nline\r',
  '\u2028\u2029\u007f',
  '<!--',
  '__proto__',
];

/** A world; the same dice give the same one. Sessions are in the order of their users, named ones first. */
export function randomWorld(dice: Dice): WorldFile {
  return {
    seed: `seed ${dice.pick(['42', 'ü', '🪨'])}`,
    refDate: moment(dice),
    linkSecret: Uint8Array.from({ length: 32 + dice.upTo(16) }, () => dice.upTo(255)),
    snapshot: {
      clock: clock(dice),
      clients: Array.from({ length: dice.upTo(3) }, (_, index) => client(dice, index)),
    },
  };
}

function client(dice: Dice, index: number): ClientSnapshot {
  const clientId = `${dice.pick(['acme', 'ü b', '✓', 'a/b%'])}-${index}`;
  const apiKey = `clk_${index}_${dice.upTo(1e9)}`;
  const about = {
    clientId,
    ...(dice.chance(0.5) && { name: dice.pick(TEXTS) }),
    ...(dice.chance(0.5) && { callbackOrigins: dice.pick([[], ['https://app.example.com', 'myapp:']]) }),
  };
  const users = Array.from(
    { length: dice.upTo(4) },
    (_, place) => `${dice.pick(['user', 'Zoë', '用户'])}-${place}`,
  );
  const named = users.filter((_, place) => place % 2 === 0);
  const sessions = [...named, ...users.filter((userId) => !named.includes(userId))].flatMap((userId, owner) =>
    Array.from(
      { length: dice.upTo(3) },
      (_, place): SessionRecord => ({
        clientId,
        userId,
        ...session(dice, `R-${owner}-${place}`),
      }),
    ),
  );
  const { links, records } = linksOf(dice, clientId, users, sessions);
  const keys = [apiKey, ...Array.from({ length: dice.upTo(2) }, (_, place) => `other ${index} ${place}`)];
  return {
    client: { ...about, apiKey },
    isConfigured: dice.chance(0.7),
    storage: {
      clients: [about],
      apiKeys: keys.map((key, place) => ({
        id: `key ${place}`,
        clientId,
        hash: hashApiKey(key),
        ...(dice.chance(0.3) && { hint: dice.pick(TEXTS) }),
        createdAt: moment(dice),
        ...(dice.chance(0.3) && { expiresAt: moment(dice) }),
        ...(dice.chance(0.3) && { revokedAt: moment(dice) }),
      })),
      sessions,
      links,
    },
    namedUsers: named,
    clock: clock(dice),
    links: records,
  };
}

function session(dice: Dice, reference: string): Session {
  const text = () => dice.pick(TEXTS);
  const isTold = dice.chance(0.5);
  return {
    reference,
    date: moment(dice),
    camsReference: 'CAMS 1',
    status: dice.pick(['submitted', 'erledigt ✓']),
    createdAt: moment(dice),
    selectedPolicy: {
      number: text(),
      provider: text(),
      holder: { firstName: text(), lastName: text(), id: 'holder\n1', phone: text(), email: text() },
      validFrom: '2024-02-29',
      validTo: dice.pick(['2024-02-29', '2031-12-31']),
      linkedContacts: Array.from({ length: dice.upTo(2) }, () => ({
        firstName: text(),
        lastName: text(),
        email: text(),
        ...(dice.chance(0.5) && { phone: text() }),
      })),
      vehicle: { licensePlate: text() },
    },
    ...(isTold && {
      incident: {
        ...(dice.chance(0.5) && { date: '2025-01-31' }),
        ...(dice.chance(0.5) && { description: TEXTS.join('').repeat(dice.upTo(20)) }),
      },
    }),
  };
}

/** Each session may be what a link was submitted with; other links are in all the other states. */
function linksOf(dice: Dice, clientId: string, users: readonly string[], sessions: readonly SessionRecord[]) {
  const links: StoredLink[] = [];
  const records: LinkRecord[] = [];
  const add = (userId: string, submitted: SessionRecord | undefined) => {
    const accessCode = `code_-${links.length}`;
    const accessCodeHash = hashAccessCode(accessCode);
    const { clientId: _, userId: __, ...stored } = submitted ?? { clientId, userId };
    links.push({
      link: {
        accessCodeHash,
        clientId,
        userId,
        callbackUrl: 'https://app.example.com/?r={SESSION_REFERENCE}&ü',
        callbackOnSubmit: dice.chance(0.5),
        config: {
          contact: {
            email: 'a@b',
            phone: dice.pick(TEXTS),
            ...(dice.chance(0.5) && { link: 'https://x.example' }),
          },
          currentUserId: dice.pick([userId, 42]),
          ...(dice.chance(0.5) && {
            policy: {
              holder: { lastName: dice.pick(TEXTS) },
              linkedContacts: [{}, { phone: '1' }],
              vehicle: {},
            },
          }),
          ...(dice.chance(0.5) && {
            initialStepKey: dice.pick(TEXTS),
            privacyPolicyUrl: 'https://x.example/p',
          }),
        },
        createdAt: moment(dice),
        expiresAt: moment(dice),
        ...(dice.chance(0.5) && { openedAt: moment(dice) }),
        ...(submitted ? { submittedAt: moment(dice) } : dice.chance(0.3) && { revokedAt: moment(dice) }),
      },
      ...(submitted && { session: stored as Session }),
    });
    const url = dice.pick([
      `https://api.example.com/v1/verify/${accessCode}?token=ey.J.x`,
      `https://api.example.com/verify/verify/${accessCode}?token=ey.J.x`,
      'https://api.example.com/elsewhere',
    ]);
    if (dice.chance(0.8))
      records.push({ accessCodeHash, url, ...(dice.chance(0.3) && { expiredAt: moment(dice) }) });
  };
  for (const record of sessions) if (dice.chance(0.5)) add(record.userId, record);
  for (const userId of users) if (dice.chance(0.8)) add(userId, undefined);
  return { links, records };
}

function clock(dice: Dice): ClockSetting {
  return {
    offsetMs: dice.pick([0, -86_400_000, 1, 123.5]),
    ...(dice.chance(0.3) && { frozenAt: moment(dice) }),
  };
}

function moment(dice: Dice): Date {
  const minute = Date.UTC(
    1980 + dice.upTo(7000),
    dice.upTo(11),
    1 + dice.upTo(27),
    dice.upTo(23),
    dice.upTo(59),
  );
  return new Date(minute + dice.pick([0, 0, 1, 59_000, 59_999]));
}
