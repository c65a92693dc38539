// The text of the persist file: exact, readable, and refused line by line where it was damaged.

import type { FromSchema } from 'json-schema-to-ts';
import t from 'tap';
import { createMemoryStorage, hashAccessCode, hashApiKey, isClaimlinkError } from '../../../lib/index.js';
import { writeWorldFile } from '../../../mock-server/world/persist-format.js';
import { readWorldFile } from '../../../mock-server/world/persist-read.js';
import type { PersistedWorld, persistedWorldSchema } from '../../../mock-server/world/persist-schema.js';
import { createDice } from '../dice.js';
import { randomWorld } from '../random-world.js';

/** Fails to compile unless the documented type and the schema say the same. */
type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const isSame: Same<Writable<FromSchema<typeof persistedWorldSchema>>, Writable<PersistedWorld>> = true;

const SECRET = Buffer.alloc(32, 7).toString('base64url');

/** A world that a person could have written. */
function sample() {
  const session = {
    reference: 'R-1',
    date: '2026-01-15T09:41',
    camsReference: 'C-1',
    status: 'submitted',
    createdAt: '2026-01-15T09:20',
    selectedPolicy: {
      number: 'N',
      provider: 'P',
      holder: { firstName: 'a', lastName: 'b', id: 'u', phone: 'd', email: 'e' },
      validFrom: '2025-01-01',
      validTo: '2026-12-31',
      linkedContacts: [],
      vehicle: { licensePlate: 'x' },
    },
  };
  const link = {
    url: 'https://api.example.com/verify/s3cret?token=t0ken',
    userId: 'user-1',
    callbackUrl: 'https://app.example.com/',
    callbackOnSubmit: true,
    config: { contact: { email: 'a@b', phone: '1' }, currentUserId: 'user-1' },
    createdAt: '2026-01-15T09:00',
    expiresAt: '2026-01-16T09:00',
    submittedAt: '2026-01-15T09:41',
    reference: 'R-1',
  };
  return {
    claimlink: 'world',
    version: 1,
    seed: '42',
    refDate: '2026-01-01T00:00',
    linkSecret: SECRET,
    clients: [
      {
        clientId: 'demo',
        apiKey: 'clk_s3cret',
        users: [
          { userId: 'user-1', seeded: true, sessions: [session] },
          { userId: 'user-2', sessions: [] as (typeof session)[] },
        ],
        links: [link],
      },
    ],
  };
}

type Sample = ReturnType<typeof sample>;
type SampleClient = Sample['clients'][number];

/** What is told of a text; the code, the pointers and the silence about secrets are checked. */
function refusal(text: string): string[] {
  try {
    readWorldFile(text, 'w.json');
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'options_invalid') throw error;
    if (/s3cret|t0ken/.test(JSON.stringify([error.message, error.details])))
      throw new Error('a secret is told');
    return (error.details ?? []).map(({ pointer, detail }) => {
      if (pointer !== '/persistFile') throw new Error(`a detail of ${pointer}`);
      return detail;
    });
  }
  throw new Error('nothing is refused');
}

/** What is told of the sample after a change, without the places. */
function told(change: (client: SampleClient, world: Sample) => unknown): string[] {
  const world = sample();
  change(world.clients[0] as SampleClient, world);
  return refusal(JSON.stringify(world, null, 2)).map((sentence) => sentence.replace(/^w\.json:\d+:\d+ /, ''));
}

t.test('the schema and the type are the same', async (t) => {
  t.ok(isSame);
});

t.test('300 made-up worlds are read back exactly as they were written', async (t) => {
  const dice = createDice(4);
  const states = new Set<string>();
  for (let round = 0; round < 300; round++) {
    const world = randomWorld(dice);
    const text = writeWorldFile(world);
    const read = readWorldFile(text, 'w.json');
    if (!t.strictSame(read, world)) break;
    if (!t.equal(writeWorldFile(read), text)) break;
    for (const { storage } of world.snapshot.clients) {
      for (const { link } of storage.links ?? []) {
        states.add(['openedAt', 'submittedAt', 'revokedAt'].filter((name) => name in link).join('+'));
      }
    }
  }
  t.strictSame(
    [...states].sort(),
    ['', 'openedAt', 'openedAt+revokedAt', 'openedAt+submittedAt', 'revokedAt', 'submittedAt'],
    'in every state of links',
  );
});

t.test('the snapshot of a storage comes back as one that a storage takes', async (t) => {
  const dice = createDice(11);
  for (let round = 0; round < 30; round++) {
    const world = randomWorld(dice);
    const clients = world.snapshot.clients.map((client) => ({
      ...client,
      storage: createMemoryStorage(client.storage).snapshot(),
    }));
    const read = readWorldFile(
      writeWorldFile({ ...world, snapshot: { ...world.snapshot, clients } }),
      'w.json',
    );
    const again = read.snapshot.clients.map(({ storage }) => createMemoryStorage(storage).snapshot());
    if (
      !t.strictSame(
        again,
        clients.map(({ storage }) => storage),
      )
    )
      break;
  }
});

t.test('a person can read it: members in order, dates short, each thing once', async (t) => {
  const written = sample();
  written.clients[0]?.users.reverse(); // those who are named come first
  const text = `${JSON.stringify(written, null, 2)}\n`;
  const world = readWorldFile(text, 'w.json');
  const id = `mock_${hashApiKey('clk_s3cret').slice(0, 12)}`;
  const withKey = text.replace(
    '"apiKey": "clk_s3cret",',
    `"apiKey": "clk_s3cret",
      "apiKeys": [
        {
          "id": "${id}",
          "createdAt": "2026-01-01T00:00"
        }
      ],`,
  );
  t.equal(writeWorldFile(world), withKey);
  const [client] = world.snapshot.clients;
  t.strictSame(client?.namedUsers, ['user-2']);
  t.equal(client?.isConfigured, true);
  t.equal(client?.storage.links?.[0]?.link.accessCodeHash, hashAccessCode('s3cret'));
  t.equal(client?.storage.links?.[0]?.session?.reference, 'R-1');
});

t.test('the session of a submitted link is written, even where the sessions lack it', async (t) => {
  const world = readWorldFile(JSON.stringify(sample()), 'w.json');
  const [client] = world.snapshot.clients;
  if (client === undefined) throw new Error('no client');
  const bare = { ...client, storage: { ...client.storage, sessions: [] } };
  const read = readWorldFile(
    writeWorldFile({ ...world, snapshot: { ...world.snapshot, clients: [bare] } }),
    'w.json',
  );
  t.strictSame(read.snapshot.clients[0]?.storage, client.storage);
});

t.test('a text that breaks off is refused with the place where it does', async (t) => {
  const text = JSON.stringify(sample(), null, 2);
  for (let length = 1; length < text.length; length += 97) {
    const cut = text.slice(0, length);
    const lines = cut.split('\n');
    const place = `w.json:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
    const [sentence = ''] = refusal(cut);
    const isInWord = /(?:t|tr|tru|f|fa|fal|fals)$/.test(cut) && /must be a value/.test(sentence);
    if (!t.ok(isInWord || sentence === `${place} ends before it is complete`, sentence)) break;
  }
  t.strictSame(refusal(''), ['w.json:1:1 is empty']);
});

t.test('a damaged text is refused with line, column and pointer', async (t) => {
  const text = JSON.stringify(sample(), null, 2);
  const line = text.slice(0, text.indexOf('"createdAt": "2026-01-15T09:00"')).split('\n').length;
  t.strictSame(refusal(text.replace('"createdAt": "2026-01-15T09:00"', '"createdAt": "9 o\'clock"')), [
    `w.json:${line}:11 /clients/0/links/0/createdAt must be a date and time in UTC, YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow`,
  ]);
  t.strictSame(refusal(text.replace('"seed": "42",', '"seed": "42"')), [
    'w.json:5:3 must be a comma, or the brace that ends the object',
  ]);
});

t.test('another file, and one of a newer format, are refused as such', async (t) => {
  for (const text of ['{}', '[]', 'null', '{"clients": []}', '{"claimlink": 1}']) {
    t.strictSame(refusal(text), [
      'w.json is no world of claimlink, which begins with "claimlink": "world"; name another file',
    ]);
  }
  t.strictSame(refusal('{"claimlink": "world", "version": 2, "anything": true}'), [
    'w.json has the format 2, and this version of claimlink knows 1; update claimlink, or name another file',
  ]);
  t.strictSame(
    told((_, world) => Object.assign(world, { version: 0 })),
    ['/version must be 1 or more'],
  );
});

/** A change, and what is told of it. */
const DAMAGES: [what: string, change: (client: SampleClient, world: Sample) => unknown, told: string[]][] = [
  [
    'a missing secret',
    (_, world) => Reflect.deleteProperty(world, 'linkSecret'),
    ['/linkSecret is required'],
  ],
  [
    'a short secret',
    (_, world) => Object.assign(world, { linkSecret: 'abc' }),
    ['/linkSecret must be at least 32 bytes in base64url'],
  ],
  [
    'a secret that is no base64url',
    (_, world) => Object.assign(world, { linkSecret: `${SECRET.slice(0, -1)}9` }),
    ['/linkSecret must be at least 32 bytes in base64url'],
  ],
  [
    'a day that there is not',
    (_, world) =>
      Object.assign(world, {
        refDate: '2026-02-30T00:00',
        clock: { offsetMs: 0, frozenAt: '2026-04-31T00:00' },
      }),
    ['/refDate must be on a day that there is', '/clock/frozenAt must be on a day that there is'],
  ],
  [
    'a client twice',
    (client, world) => world.clients.push({ ...client, users: [], links: [] }),
    [
      "/clients/1/clientId is another client's already",
      "/clients/1/apiKey is another client's already",
      '/clients/1/apiKeys/0 is the same key as another one',
    ],
  ],
  [
    'a user twice',
    (client) => client.users.push({ userId: 'user-2', sessions: [] }),
    ['/clients/0/users/2/userId stands in this client already; a user has one entry'],
  ],
  [
    'a reference twice',
    (client) => client.users[1]?.sessions.push(...(client.users[0]?.sessions ?? [])),
    [
      "/clients/0/users/1/sessions/0/reference is another session's already; it must be unique within the client",
      '/clients/0/links/0/reference must be that of a session of the same user in this file',
    ],
  ],
  [
    'a link without its session',
    (client) => Object.assign(client.users[0] ?? {}, { sessions: [] }),
    ['/clients/0/links/0/reference must be that of a session of the same user in this file'],
  ],
  [
    'a reference without a submission',
    (client) => Reflect.deleteProperty(client.links[0] ?? {}, 'submittedAt'),
    ['/clients/0/links/0/submittedAt is required beside reference'],
  ],
  [
    'a submission without a reference',
    (client) => Reflect.deleteProperty(client.links[0] ?? {}, 'reference'),
    ['/clients/0/links/0/reference is required beside submittedAt'],
  ],
  [
    'a link without its URL',
    (client) => Reflect.deleteProperty(client.links[0] ?? {}, 'url'),
    ['/clients/0/links/0/url is required, or an accessCodeHash'],
  ],
  [
    'a URL of another kind',
    (client) => Object.assign(client.links[0] ?? {}, { url: 'https://api.example.com/' }),
    ['/clients/0/links/0/url must be that of a link: …/verify/<access_code>?token=…'],
  ],
  [
    'a link twice',
    (client) => client.links.push(...structuredClone(client.links)),
    [
      '/clients/0/links/1 is the same link as another one',
      '/clients/0/links/1/reference must not be that of two links',
    ],
  ],
  [
    'a key twice',
    (client) =>
      Object.assign(client, {
        apiKeys: [
          { id: 'a', createdAt: '2026-01-01T00:00' },
          {
            id: 'a',
            hash: hashApiKey('clk_s3cret'),
            createdAt: '2026-01-01T00:00',
            revokedAt: '2026-13-01T00:00',
          },
        ],
      }),
    [
      '/clients/0/apiKeys/1/revokedAt must be a date and time in UTC, YYYY-MM-DDTHH:MM; seconds, milliseconds and a Z may follow',
    ],
  ],
  [
    'a key twice, dates put right',
    (client) =>
      Object.assign(client, {
        apiKeys: [
          { id: 'a', createdAt: '2026-01-01T00:00' },
          { id: 'a', hash: hashApiKey('clk_s3cret'), createdAt: '2026-01-01T00:00' },
        ],
      }),
    [
      '/clients/0/apiKeys/1 is the same key as another one',
      "/clients/0/apiKeys/1/id is another key's already",
    ],
  ],
  [
    'a member that is not known',
    (client) => Object.assign(client, { link: [] }),
    ['/clients/0/link is not known here; did you mean links?'],
  ],
];

for (const [what, change, sentences] of DAMAGES) {
  t.test(`${what} is refused`, async (t) => {
    t.strictSame(told(change).sort(), [...sentences].sort());
  });
}
