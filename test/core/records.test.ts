// What a host's own tools may do: find, change, export and delete the records of a client.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import type { Claimlink } from '../../lib/claimlink.js';
import type { SessionChanges } from '../../lib/core/administration/index.js';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { STORAGE_METHODS } from '../../lib/core/guarded-storage.js';
import type { LinkState } from '../../lib/core/types.js';
import type { MemoryStorage } from '../../lib/storage/memory.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  outcomeOf,
  referencesOf,
  START,
  toMintedLink,
  USER_ID,
  type World,
} from './world.js';

const DAY_SECONDS = 86_400;

function linkIdOf({ accessCode }: MintedLink): string {
  return hashAccessCode(accessCode);
}

function configOf(currentUserId: string) {
  return { ...linkRequest().config, currentUserId };
}

/** Submits a new link of a user and returns the reference of the session. */
async function submit(world: World, userId = USER_ID): Promise<string> {
  const { accessCode, token } = await world.mint({ config: configOf(userId) });
  return (await world.claimlink.submitClaim(accessCode, token, claim())).reference;
}

t.test('findSession returns a session with its client and user, and its current state', async (t) => {
  const world = await createWorld();
  const reference = await submit(world, 'ada');
  await submit(world, 'ben');
  await world.claimlink.updateSession(CLIENT_ID, reference, { status: 'accepted' });
  const session = await world.claimlink.findSession(CLIENT_ID, reference);
  t.match(session, { clientId: CLIENT_ID, userId: 'ada', reference, status: 'accepted' });
  t.equal(session?.selectedPolicy.number, claim().policy.number);
  t.equal(await world.claimlink.findSession(CLIENT_ID, 'unknown'), undefined);
});

t.test('updateSession changes what a listing shows and what its status filter finds', async (t) => {
  const world = await createWorld();
  const reference = await submit(world);
  const changed = await world.claimlink.updateSession(CLIENT_ID, reference, {
    status: 'accepted',
    camsReference: 'CAMS 7',
  });
  t.match(changed, { reference, status: 'accepted', camsReference: 'CAMS 7' });
  t.match(JSON.parse((await world.list()).body), [
    { reference, status: 'accepted', camsReference: 'CAMS 7' },
  ]);
  t.same(referencesOf(await world.list('?status=accepted')), [reference]);
  t.same(referencesOf(await world.list('?status=submitted')), []);
});

t.test('updateSession changes only the members that it gets', async (t) => {
  const world = await createWorld();
  const reference = await submit(world);
  const before = await world.claimlink.updateSession(CLIENT_ID, reference, {});
  await world.claimlink.updateSession(CLIENT_ID, reference, { status: 'accepted' });
  const after = await world.claimlink.updateSession(CLIENT_ID, reference, { camsReference: 'CAMS-7' });
  t.strictSame(after, { ...before, status: 'accepted', camsReference: 'CAMS-7' });
});

t.test('a repeated submission returns the changed session', async (t) => {
  const world = await createWorld();
  const { accessCode, token } = await world.mint();
  const { reference } = await world.claimlink.submitClaim(accessCode, token, claim());
  await world.claimlink.updateSession(CLIENT_ID, reference, { status: 'accepted' });
  const { session, repeated } = await world.claimlink.submitClaim(accessCode, token, claim());
  t.equal(repeated, true);
  t.match(session, { reference, status: 'accepted' });
});

t.test('updateSession rejects a member that is undefined', async (t) => {
  const { claimlink } = await createWorld();
  for (const name of ['status', 'camsReference'])
    await t.rejects(claimlink.updateSession(CLIENT_ID, 'any', { [name]: undefined }), {
      code: 'request_invalid',
      problems: [{ parameter: name }],
    });
});

t.test('updateSession of an unknown reference resolves to undefined', async (t) => {
  const { claimlink } = await createWorld();
  t.equal(await claimlink.updateSession(CLIENT_ID, 'unknown', { status: 'accepted' }), undefined);
});

const INVALID_CHANGES: [name: string, changes: unknown, parameter: string][] = [
  ['an empty status', { status: '' }, 'status'],
  ['a status of 101 characters', { status: 'x'.repeat(101) }, 'status'],
  ['a status that is no text', { status: 7 }, 'status'],
  ['an empty CAMS reference', { camsReference: '' }, 'camsReference'],
  ['a CAMS reference with a line break', { camsReference: 'a\nb' }, 'camsReference'],
  ['a CAMS reference that is no text', { camsReference: null }, 'camsReference'],
  ['a member that cannot be changed', { reference: 'S-2' }, 'reference'],
  ['changes that are null', null, 'changes'],
  ['changes that are a text', 'accepted', 'changes'],
];

t.test('updateSession names the member that a misspelt one may mean', async (t) => {
  const world = await createWorld();
  const reference = await submit(world);
  const changes = { state: 'accepted' } as SessionChanges;
  await t.rejects(world.claimlink.updateSession(CLIENT_ID, reference, changes), {
    code: 'request_invalid',
    message: 'The parameter state is not an option (did you mean status?).',
  });
});

for (const [name, changes, parameter] of INVALID_CHANGES) {
  t.test(`updateSession rejects ${name}, and changes nothing`, async (t) => {
    const world = await createWorld();
    const reference = await submit(world);
    await t.rejects(world.claimlink.updateSession(CLIENT_ID, reference, changes as SessionChanges), {
      code: 'request_invalid',
      problems: [{ parameter }],
    });
    t.same(referencesOf(await world.list('?status=submitted')), [reference]);
  });
}

/** Calls of a host in JavaScript, with a value of another type, and the parameter that the error names. */
const WRONG_TYPES: [
  name: string,
  call: (claimlink: Claimlink, value: never) => unknown,
  parameter: string,
][] = [
  ['listSessions', ({ listSessions }, id) => listSessions(id, USER_ID), 'clientId'],
  ['listSessions', ({ listSessions }, id) => listSessions(CLIENT_ID, id), 'userId'],
  ['listSessions', ({ listSessions }, status) => listSessions(CLIENT_ID, USER_ID, { status }), 'status'],
  ['listSessions', ({ listSessions }, cursor) => listSessions(CLIENT_ID, USER_ID, { cursor }), 'cursor'],
  ['createLink', ({ createLink }, id) => createLink(id, linkRequest()), 'clientId'],
  ['revokeLink', ({ revokeLink }, id) => revokeLink(id, 'x'), 'clientId'],
  ['revokeLinks', ({ revokeLinks }, userId) => revokeLinks(CLIENT_ID, { userId }), 'userId'],
  ['listLinks', ({ listLinks }, cursor) => listLinks(CLIENT_ID, { cursor }), 'cursor'],
  ['listLinks', ({ listLinks }, state) => listLinks(CLIENT_ID, { state }), 'state'],
  ['findSession', ({ findSession }, id) => findSession(CLIENT_ID, id), 'reference'],
  ['updateSession', ({ updateSession }, id) => updateSession(CLIENT_ID, id, {}), 'reference'],
  [
    'listClientSessions',
    ({ listClientSessions }, since) => listClientSessions(CLIENT_ID, { since }),
    'since',
  ],
  ['exportUser', ({ exportUser }, id) => exportUser(CLIENT_ID, id), 'userId'],
  ['deleteUser', ({ deleteUser }, id) => deleteUser(CLIENT_ID, id), 'userId'],
];

for (const [name, call, parameter] of WRONG_TYPES)
  t.test(`${name} rejects a ${parameter} of another type`, async (t) => {
    const { claimlink } = await createWorld();
    for (const value of [5, null, {}, ['a'], { toString: 1 }] as never[])
      await t.rejects(
        async () => call(claimlink, value),
        { code: 'request_invalid', problems: [{ parameter }] },
        JSON.stringify(value),
      );
  });

t.test('a cursor with text that databases reject does not reach the storage', async (t) => {
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      listSessions: () => {
        throw new Error('called');
      },
    }),
  });
  for (const cursor of ['a\0b', 'a\ud800'])
    await t.rejects(world.claimlink.listSessions(CLIENT_ID, USER_ID, { cursor }), {
      code: 'request_invalid',
      problems: [{ parameter: 'cursor' }],
    });
  t.equal(outcomeOf(await world.list('?cursor=%00')), '400 request_invalid');
});

t.test('newReference may return a promise', async (t) => {
  const world = await createWorld({
    newReference: async (kind) => {
      await setImmediate();
      return `${kind}-1`;
    },
  });
  t.equal(await submit(world), 'session-1');
  t.match(JSON.parse((await world.list()).body), [{ reference: 'session-1', camsReference: 'cams-1' }]);
});

t.test('a newReference that rejects is a 500, and the link stays usable', async (t) => {
  const failure = new Error('no reference');
  let isBroken = true;
  const world = await createWorld({
    newReference: async (kind) => {
      if (isBroken) throw failure;
      return `${kind}-1`;
    },
  });
  const link = await world.mint();
  t.equal(outcomeOf(await world.submitJson(link)), '500 internal');
  t.equal(world.errors[0]?.error, failure);
  isBroken = false;
  t.equal((await world.submitJson(link)).status, 200);
});

t.test('the linkId of createLink identifies the link in lists and in revokeLink', async (t) => {
  const world = await createWorld();
  const { linkId, url } = await world.claimlink.createLink(CLIENT_ID, linkRequest());
  const { links } = await world.claimlink.listLinks(CLIENT_ID);
  t.same(
    links.map((link) => link.linkId),
    [linkId],
  );
  t.notOk(url.includes(linkId), 'it is not in the URL');
  t.equal(await world.claimlink.revokeLink(CLIENT_ID, linkId), true);
  t.equal((await world.open(toMintedLink(url))).status, 410);
});

t.test('ttlSeconds of one link takes precedence over linkTtlSeconds', async (t) => {
  const world = await createWorld({ linkTtlSeconds: 60 });
  const { expiresAt, url } = await world.claimlink.createLink(CLIENT_ID, linkRequest(), { ttlSeconds: 120 });
  t.strictSame(expiresAt, new Date(START.getTime() + 120_000));
  world.advance(119_999);
  t.equal((await world.open(toMintedLink(url))).status, 200);
  world.advance(1);
  t.equal((await world.open(toMintedLink(url))).status, 410);
});

for (const ttlSeconds of [0, 59, 1.5, 30 * DAY_SECONDS + 1, Number.NaN, '120' as unknown as number]) {
  t.test(`a ttlSeconds of ${JSON.stringify(ttlSeconds)} is rejected`, async (t) => {
    const { claimlink } = await createWorld();
    await t.rejects(claimlink.createLink(CLIENT_ID, linkRequest(), { ttlSeconds }), {
      code: 'request_invalid',
      problems: [{ parameter: 'ttlSeconds' }],
    });
  });
}

t.test('listLinks returns each state of a link, with its dates and its session', async (t) => {
  const world = await createWorld();
  const created = await world.mint();
  const opened = await world.mint();
  const submitted = await world.mint();
  const revoked = await world.mint();
  const expired = await world.claimlink.createLink(CLIENT_ID, linkRequest(), { ttlSeconds: 60 });
  await world.open(opened);
  const { reference } = await world.claimlink.submitClaim(submitted.accessCode, submitted.token, claim());
  await world.claimlink.revokeLink(CLIENT_ID, linkIdOf(revoked));
  world.advance(60_000);
  const common = { userId: USER_ID, createdAt: START };
  const expiresAt = new Date(START.getTime() + DAY_SECONDS * 1000);
  const expected: Record<LinkState, object> = {
    created: { ...common, linkId: linkIdOf(created), state: 'created', expiresAt },
    opened: { ...common, linkId: linkIdOf(opened), state: 'opened', expiresAt, openedAt: START },
    submitted: {
      ...common,
      linkId: linkIdOf(submitted),
      state: 'submitted',
      expiresAt,
      submittedAt: START,
      reference,
    },
    revoked: { ...common, linkId: linkIdOf(revoked), state: 'revoked', expiresAt, revokedAt: START },
    expired: { ...common, linkId: expired.linkId, state: 'expired', expiresAt: expired.expiresAt },
  };
  for (const [state, link] of Object.entries(expected)) {
    const filter = { state: state as LinkState };
    t.strictSame(await world.claimlink.listLinks(CLIENT_ID, filter), { links: [link] }, state);
  }
  t.equal((await world.claimlink.listLinks(CLIENT_ID)).links.length, 5);
});

t.test('listLinks filters by user, and pages with limit and cursor', async (t) => {
  const world = await createWorld();
  for (const userId of ['ben', 'ada', 'ben']) await world.mint({ config: configOf(userId) });
  const first = await world.claimlink.listLinks(CLIENT_ID, { limit: 2 });
  t.same(
    first.links.map(({ userId }) => userId),
    ['ada', 'ben'],
  );
  const cursor = first.nextCursor ?? '';
  const second = await world.claimlink.listLinks(CLIENT_ID, { limit: 2, cursor });
  t.same(
    second.links.map(({ userId }) => userId),
    ['ben'],
  );
  t.equal(second.nextCursor, undefined);
  t.not(second.links[0]?.linkId, first.links[1]?.linkId);
  t.equal((await world.claimlink.listLinks(CLIENT_ID, { userId: 'ben' })).links.length, 2);
});

t.test('revokeLinks revokes the usable links of one user, or of the client, and counts them', async (t) => {
  const world = await createWorld();
  const links: MintedLink[] = [];
  for (const userId of ['ada', 'ada', 'ben']) links.push(await world.mint({ config: configOf(userId) }));
  await submit(world, 'ada');
  t.equal(await world.claimlink.revokeLinks(CLIENT_ID, { userId: 'ada' }), 2);
  t.equal(await world.claimlink.revokeLinks(CLIENT_ID, { userId: 'ada' }), 0);
  const statuses = await Promise.all(links.map(async (link) => (await world.open(link)).status));
  t.same(statuses, [410, 410, 200]);
  t.equal(await world.claimlink.revokeLinks(CLIENT_ID), 1);
});

t.test('listClientSessions returns the sessions of all users in the order of their submission', async (t) => {
  const world = await createWorld();
  const references = [];
  for (const userId of ['ben', 'ada', 'ben']) {
    references.push(await submit(world, userId));
    world.advance(1000);
  }
  const first = await world.claimlink.listClientSessions(CLIENT_ID, { limit: 2 });
  t.match(first, {
    sessions: [
      { clientId: CLIENT_ID, userId: 'ben', reference: references[0] },
      { clientId: CLIENT_ID, userId: 'ada', reference: references[1] },
    ],
    hasMore: true,
  });
  const read = (cursor = '') => world.claimlink.listClientSessions(CLIENT_ID, { cursor });
  const second = await read(first.nextCursor);
  t.match(second, { sessions: [{ reference: references[2] }], hasMore: false });
  const idle = await read(second.nextCursor);
  t.same(idle, { sessions: [], nextCursor: second.nextCursor, hasMore: false });
  const later = await submit(world, 'ada');
  t.match(await read(idle.nextCursor), { sessions: [{ reference: later }] });
  const since = new Date(START.getTime() + 2000);
  const recent = await world.claimlink.listClientSessions(CLIENT_ID, { since });
  t.same(
    recent.sessions.map(({ reference }) => reference),
    [references[2], later],
  );
});

for (const since of [new Date(Number.NaN), '2026-01-01' as unknown as Date]) {
  t.test(`listClientSessions rejects ${String(since)} as since`, async (t) => {
    const { claimlink } = await createWorld();
    await t.rejects(claimlink.listClientSessions(CLIENT_ID, { since }), {
      code: 'request_invalid',
      problems: [{ parameter: 'since' }],
    });
  });
}

t.test('exportUser returns all pages of the sessions and links of a user, as JSON', async (t) => {
  const world = await createWorld({ maxPageSize: 2 });
  const references = [];
  for (let count = 0; count < 5; count++) {
    references.unshift(await submit(world));
    world.advance(1000);
  }
  await submit(world, 'other');
  const { linkId } = await world.claimlink.createLink(
    CLIENT_ID,
    linkRequest({ config: { ...configOf(USER_ID), policy: { number: 'P-9' } } }),
  );
  const exported = JSON.parse(JSON.stringify(await world.claimlink.exportUser(CLIENT_ID, USER_ID)));
  t.match(exported, { clientId: CLIENT_ID, userId: USER_ID, exportedAt: world.now().toISOString() });
  t.same(
    exported.sessions.map(({ reference }: { reference: string }) => reference),
    references,
  );
  t.match(exported.sessions[0], { selectedPolicy: { holder: { email: 'ada@example.com' } } });
  t.equal(exported.links.length, 6);
  t.match(exported.links[0], {
    linkId,
    state: 'created',
    callbackUrl: 'https://app.example.com/done',
    config: { policy: { number: 'P-9' } },
  });
});

t.test('deleteUser deletes the sessions and links of a user, and no others', async (t) => {
  const world = await createWorld();
  const kept = await submit(world, 'other');
  await submit(world);
  const link = await world.mint();
  t.match(await world.claimlink.deleteUser(CLIENT_ID, USER_ID), { sessions: 1, links: 2 });
  t.same(referencesOf(await world.list()), []);
  t.same(referencesOf(await world.list('', 'other')), [kept]);
  t.equal(outcomeOf(await world.submitJson(link)), '404 link_not_found');
  const { sessions, links } = await world.claimlink.exportUser(CLIENT_ID, USER_ID);
  t.same([...sessions, ...links], []);
  t.match(await world.claimlink.deleteUser(CLIENT_ID, USER_ID), { sessions: 0, links: 0, events: 0 });
});

t.test(
  'the link of a session that retention deleted is 410 link_submitted, and creates no session',
  async (t) => {
    const world = await createWorld();
    const link = await world.mint();
    await world.submitJson(link);
    t.equal(await (world.storage as MemoryStorage).deleteSessions(new Date('2100-01-01')), 1);
    t.equal(outcomeOf(await world.submitJson(link)), '410 link_submitted');
    t.same(referencesOf(await world.list()), []);
  },
);

/** A call of each method that needs a RecordStorage. */
const CALLS: Record<string, (world: World, clientId: string) => Promise<unknown>> = {
  findSession: ({ claimlink }, clientId) => claimlink.findSession(clientId, 'S-1'),
  updateSession: ({ claimlink }, clientId) => claimlink.updateSession(clientId, 'S-1', {}),
  listLinks: ({ claimlink }, clientId) => claimlink.listLinks(clientId),
  revokeLinks: ({ claimlink }, clientId) => claimlink.revokeLinks(clientId),
  listClientSessions: ({ claimlink }, clientId) => claimlink.listClientSessions(clientId),
  exportUser: ({ claimlink }, clientId) => claimlink.exportUser(clientId, USER_ID),
  deleteUser: ({ claimlink }, clientId) => claimlink.deleteUser(clientId, USER_ID),
};

for (const [name, call] of Object.entries(CALLS)) {
  t.test(`${name} rejects an unknown client with client_not_found`, async (t) => {
    await t.rejects(call(await createWorld(), 'unknown'), { code: 'client_not_found' });
  });

  t.test(`${name} rejects an invalid client id with request_invalid`, async (t) => {
    await t.rejects(call(await createWorld(), 'a\0b'), { code: 'request_invalid' });
  });

  t.test(`${name} names the methods that a plain storage lacks`, async (t) => {
    const world = await createWorld({
      wrapStorage: (storage) => {
        const plain = { ...storage } as unknown as Record<string, unknown>;
        for (const method of STORAGE_METHODS.RecordStorage.slice(1)) delete plain[method];
        return plain as unknown as typeof storage;
      },
    });
    await t.rejects(call(world, CLIENT_ID), {
      code: 'options_invalid',
      message: new RegExp(
        `storage must implement RecordStorage, which this call needs; it lacks ${STORAGE_METHODS.RecordStorage.slice(1).join(', ')}`,
      ),
    });
  });
}

const INVALID_ARGUMENTS: Record<string, (world: World) => Promise<unknown>> = {
  'a state of listLinks that does not exist': ({ claimlink }) =>
    claimlink.listLinks(CLIENT_ID, { state: 'used' as LinkState }),
  'a user id of listLinks': ({ claimlink }) => claimlink.listLinks(CLIENT_ID, { userId: '' }),
  'a limit of listLinks': ({ claimlink }) => claimlink.listLinks(CLIENT_ID, { limit: 0 }),
  'a cursor of listLinks': ({ claimlink }) => claimlink.listLinks(CLIENT_ID, { cursor: 'x' }),
  'a cursor of listClientSessions': ({ claimlink }) =>
    claimlink.listClientSessions(CLIENT_ID, { cursor: 'x' }),
  'a limit of listClientSessions': ({ claimlink }) =>
    claimlink.listClientSessions(CLIENT_ID, { limit: 1001 }),
  'a user id of revokeLinks': ({ claimlink }) => claimlink.revokeLinks(CLIENT_ID, { userId: 'a\0b' }),
  'a user id of exportUser': ({ claimlink }) => claimlink.exportUser(CLIENT_ID, ''),
  'a user id of deleteUser': ({ claimlink }) => claimlink.deleteUser(CLIENT_ID, ''),
  'a reference of findSession': ({ claimlink }) => claimlink.findSession(CLIENT_ID, 'a\0b'),
  'a reference of updateSession': ({ claimlink }) => claimlink.updateSession(CLIENT_ID, '', {}),
};

for (const [name, call] of Object.entries(INVALID_ARGUMENTS)) {
  t.test(`${name} is request_invalid`, async (t) => {
    const world = await createWorld();
    const link = await world.mint();
    await t.rejects(call(world), { code: 'request_invalid' });
    t.equal((await world.open(link)).status, 200, 'nothing was changed');
  });
}
