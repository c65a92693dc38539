// The life of a link: which moments and events the service records, in any state of its options.
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { createClaimlink } from '../../lib/claimlink.js';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { createLinkSigner } from '../../lib/core/link-signer.js';
import type { ClaimlinkOptions } from '../../lib/core/options.js';
import type { EventChoice, Storage } from '../../lib/core/storage.js';
import { type ClaimlinkEvent, EVENT_TYPES, type EventType } from '../../lib/core/types.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { skipPauses } from './skip-pauses.js';
import {
  CLIENT_ID,
  claim,
  createWorld,
  linkRequest,
  type MintedLink,
  PUBLIC_URL,
  SECRET,
  USER_ID,
  type World,
  type WorldOptions,
} from './world.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const CHECKED: WorldOptions['client'] = {
  settings: { recipientCheck: ['/policy/vehicle/licensePlate'], allowDecline: true },
};
const PREFILLED = linkRequest({
  config: { ...linkRequest().config, policy: { vehicle: { licensePlate: 'B-CL 2026' } } },
});

interface Life extends World {
  told: ClaimlinkEvent[];
}

/** Creates a world that chooses these events, all by default. */
async function lived(options: WorldOptions = {}, events: readonly EventType[] = EVENT_TYPES): Promise<Life> {
  const told: ClaimlinkEvent[] = [];
  const world = await createWorld({
    withoutOnSubmit: true,
    events,
    onEvent: (event) => void told.push(event),
    ...options,
  });
  return { ...world, told };
}

function post({ send }: World, link: MintedLink, fields: Record<string, string>, headers = {}) {
  return send('POST', link.target, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** Delivers what was recorded, and returns the types of all events so far. */
async function typesOf({ claimlink, told }: Life): Promise<string[]> {
  await claimlink.idle();
  await claimlink.deliverPending();
  return told.map(({ type }) => type);
}

async function historyOf({ claimlink }: World, link: MintedLink): Promise<string[]> {
  const lived = await claimlink.linkHistory(CLIENT_ID, hashAccessCode(link.accessCode));
  return (lived?.history ?? []).map(({ type }) => type);
}

t.test(
  'without the option events, only submissions are events, and the storage gets no choice',
  async (t) => {
    const told: ClaimlinkEvent[] = [];
    const world = await createWorld({
      withoutOnSubmit: true,
      onEvent: (event) => void told.push(event),
    });
    const link = await world.mint();
    await post(world, link, { action: 'start' });
    await world.submitJson(link);
    const revoked = await world.mint();
    await world.claimlink.revokeLink(CLIENT_ID, hashAccessCode(revoked.accessCode));
    await world.claimlink.idle();
    t.match(told, [{ type: 'claim.submitted', userId: USER_ID, session: { status: 'submitted' } }]);
    t.equal(told.length, 1);
    t.same(world.storage.snapshot().life.choice.types, []);
    t.same(await historyOf(world, link), ['link.created', 'claim.submitted']);
  },
);

t.test('starting, revoking and deleting a link are events with every member, at once', async (t) => {
  const world = await lived();
  const link = await world.mint();
  const linkId = hashAccessCode(link.accessCode);
  world.advance(MINUTE);
  const at = world.now();
  const response = await post(world, link, { action: 'start' });
  t.same([response.status, response.body], [204, '']);
  await post(world, link, { action: 'start' });
  await world.claimlink.revokeLink(CLIENT_ID, linkId);
  await world.claimlink.deleteUser(CLIENT_ID, USER_ID);
  await world.claimlink.idle();
  const expiresAt = new Date(at.getTime() - MINUTE + DAY);
  const subject = { attempt: 1, at, clientId: CLIENT_ID };
  const ids = world.told.map(({ id }) => id);
  t.strictSame(world.told, [
    { ...subject, id: ids[0], type: 'link.started', userId: USER_ID, linkId, sequence: 1, expiresAt },
    { ...subject, id: ids[1], type: 'link.revoked', userId: USER_ID, linkId, sequence: 2, expiresAt },
    { ...subject, id: ids[2], type: 'data.deleted', why: 'user', linkIds: [linkId], references: [] },
  ]);
  t.equal(new Set(ids).size, 3);
});

t.test('a GET, a HEAD and a submission start nothing', async (t) => {
  const world = await lived();
  const link = await world.mint();
  await world.open(link);
  await world.send('HEAD', link.target);
  await world.send('GET', `${link.target}&action=start`);
  await world.submitJson(link);
  await post(world, link, { action: 'start' });
  t.same(await typesOf(world), ['claim.submitted']);
});

t.test('start needs a valid token, and the answer of the recipient', async (t) => {
  const world = await lived({ client: CHECKED });
  const link = await world.mint(PREFILLED);
  t.equal((await post(world, { ...link, target: `${link.target}x` }, { action: 'start' })).status, 404);
  const asked = await post(world, link, { action: 'start' }, { accept: 'application/json' });
  t.equal(asked.status, 403);
  const answered = await post(world, link, { action: 'check', answer: 'bcl2026' });
  const cookie = String(answered.headers['set-cookie']).split(';')[0];
  t.equal((await post(world, link, { action: 'start' }, { cookie })).status, 204);
  t.same(await typesOf(world), ['link.started']);
});

t.test('start records nothing for a host that does not want to know it', async (t) => {
  const world = await lived({}, ['claim.submitted', 'link.revoked']);
  const link = await world.mint();
  t.equal((await post(world, link, { action: 'start' })).status, 204);
  t.same(await historyOf(world, link), ['link.created']);
});

t.test('decline revokes the link without an answer, once, and says why', async (t) => {
  const world = await lived({ client: CHECKED });
  const link = await world.mint(PREFILLED);
  const page = await post(world, link, { action: 'decline', why: 'wrong_person' });
  t.equal(page.status, 200);
  t.match(world.widget.unavailables.at(-1), { code: 'link_revoked', status: 200, declined: 'wrong_person' });
  t.equal((await post(world, link, { action: 'decline', why: 'other' })).status, 410);
  t.equal((await world.open(link)).status, 410);
  t.same(await typesOf(world), ['link.declined']);
  t.match(world.told, [{ why: 'wrong_person', sequence: 1 }]);
  t.match(await world.claimlink.linkHistory(CLIENT_ID, hashAccessCode(link.accessCode)), {
    state: 'revoked',
    history: [{ type: 'link.created' }, { type: 'link.declined', why: 'wrong_person' }],
  });
  const program = await world.mint();
  t.equal(
    (await post(world, program, { action: 'decline', why: 'other' }, { accept: 'application/json' })).status,
    204,
  );
});

t.test('decline is rejected without a reason, for another client, and after a submission', async (t) => {
  const world = await lived({ client: { settings: { allowDecline: true } } });
  const json = { accept: 'application/json' };
  const link = await world.mint();
  for (const why of ['', 'because']) {
    const { status, body } = await post(world, link, { action: 'decline', why }, json);
    t.match([status, JSON.parse(body).errors], [400, [{ pointer: '/why', rule: 'choice' }]]);
  }
  await world.submitJson(link);
  t.equal((await post(world, link, { action: 'decline', why: 'other' }, json)).status, 410);
  const other = await lived();
  const kept = await other.mint();
  const rejected = await post(other, kept, { action: 'decline', why: 'other' }, json);
  t.match([rejected.status, JSON.parse(rejected.body).errors], [400, [{ pointer: '/action' }]]);
  t.equal((await other.submitJson(kept)).status, 200);
});

t.test('a request to renew is an event once an hour, for an expired link only', async (t) => {
  const world = await lived();
  const link = await world.mint();
  t.equal((await post(world, link, { action: 'renew' })).status, 204, 'a usable link');
  world.advance(DAY);
  await world.open(link);
  t.equal(world.widget.unavailables.at(-1)?.renewal, 'offered');
  for (let count = 0; count < 2; count++) {
    const page = await post(world, link, { action: 'renew' });
    t.equal(page.status, 200);
    t.match(world.widget.unavailables.at(-1), { status: 200, renewal: 'requested' });
  }
  world.advance(59 * MINUTE);
  await post(world, link, { action: 'renew' });
  t.same(await historyOf(world, link), ['link.created', 'link.expired', 'link.renewal_requested']);
  const isRenewal = (type: string) => type === 'link.renewal_requested';
  t.equal((await typesOf(world)).filter(isRenewal).length, 1);
  world.advance(MINUTE);
  await post(world, link, { action: 'renew' });
  t.equal((await typesOf(world)).filter(isRenewal).length, 2);
});

t.test('the page of an expired link offers nothing to a host that does not want to know it', async (t) => {
  const world = await lived({}, ['link.expired']);
  const link = await world.mint();
  world.advance(DAY);
  await world.open(link);
  t.notOk(world.widget.unavailables.at(-1)?.renewal);
  const page = await post(world, link, { action: 'renew' });
  t.equal(page.status, 410);
  t.same(await typesOf(world), ['link.expired']);
});

t.test('a late claim shows its answers, also where a renewal is offered', async (t) => {
  const world = await lived();
  const link = await world.mint();
  world.advance(DAY);
  const page = await post(world, link, { policyNumber: 'P-77' });
  t.equal(page.status, 410);
  t.equal(world.widget.unavailables.at(-1)?.fields?.get('policyNumber'), 'P-77');
});

t.test('a link locks once, and again after it was unlocked', async (t) => {
  t.teardown(skipPauses());
  const world = await lived({ client: CHECKED });
  const link = await world.mint(PREFILLED);
  const linkId = hashAccessCode(link.accessCode);
  const guess = (count: number) =>
    Promise.all(Array.from({ length: count }, () => post(world, link, { action: 'check', answer: 'wrong' })));
  await guess(4);
  t.same(await typesOf(world), []);
  await guess(3);
  t.same(await typesOf(world), ['link.locked']);
  t.equal(await world.claimlink.unlockLink(CLIENT_ID, linkId), true);
  t.equal(await world.claimlink.unlockLink(CLIENT_ID, linkId), true, 'a link that is not locked');
  await guess(6);
  t.same(await typesOf(world), ['link.locked', 'link.locked']);
  t.same(await historyOf(world, link), ['link.created', 'link.locked', 'link.unlocked', 'link.locked']);
});

t.test('a lock whose record failed is recorded with the next answer', async (t) => {
  t.teardown(skipPauses());
  let isBroken = true;
  const world = await lived({
    client: CHECKED,
    wrapStorage: (storage) => ({
      ...storage,
      addMoment: (query: Parameters<typeof storage.addMoment>[0]) => {
        if (isBroken) throw new Error('broken');
        return storage.addMoment(query);
      },
    }),
  });
  const link = await world.mint(PREFILLED);
  for (let count = 0; count < 5; count++) await post(world, link, { action: 'check', answer: 'wrong' });
  t.same(await typesOf(world), []);
  isBroken = false;
  await post(world, link, { action: 'check', answer: 'wrong' });
  t.same(await typesOf(world), ['link.locked']);
});

t.test('deliverPending tells links that expire, before the end and at the end, each once', async (t) => {
  const world = await lived({ expiryNoticeSeconds: 3600 });
  await world.mint();
  world.advance(DAY - 61 * MINUTE);
  t.same(await typesOf(world), []);
  world.advance(MINUTE);
  t.same(await typesOf(world), ['link.expiring']);
  world.advance(DAY);
  t.same(await typesOf(world), ['link.expiring', 'link.expired']);
  world.advance(-2 * DAY);
  for (let count = 0; count < 5; count++, world.advance(DAY / 2)) await typesOf(world);
  t.equal(world.told.length, 2);
});

t.test('a sweep tells that a link has expired before it deletes the link', async (t) => {
  const world = await lived();
  await world.mint();
  world.advance(2 * DAY);
  t.equal(await world.claimlink.deleteExpiredLinks(world.now()), 1);
  await world.claimlink.idle();
  t.same(
    world.told.map(({ type }) => type),
    ['link.expired', 'data.deleted'],
  );
});

t.test(
  'the history shows openings, repeated submissions and deliveries without a value of the claim',
  async (t) => {
    const world = await lived({
      onEvent: () => {
        throw Object.assign(new Error('ada@example.com'), { code: 'ECONNREFUSED' });
      },
    });
    const link = await world.mint(PREFILLED);
    await world.open(link);
    await world.submitJson(link);
    await world.submitJson(link);
    await world.submitJson(link, claim({ policy: { ...claim().policy, number: 'P-2' } }));
    await world.claimlink.idle();
    const shown = await world.claimlink.linkHistory(CLIENT_ID, hashAccessCode(link.accessCode));
    t.match(shown?.history, [
      { type: 'link.created' },
      { type: 'link.opened' },
      { type: 'claim.submitted' },
      { type: 'claim.repeated', unchanged: true },
      { type: 'claim.repeated', unchanged: false },
      { type: 'claim.delivery_pending', attempts: 1, why: 'Error ECONNREFUSED' },
    ]);
    for (const value of ['ada@example.com', 'Lovelace', 'P-100', 'B-CL', link.accessCode, link.token])
      t.notMatch(JSON.stringify(shown), value, value);
    t.equal(await world.claimlink.linkHistory(CLIENT_ID, 'f'.repeat(64)), undefined);
    await t.rejects(world.claimlink.linkHistory('nobody', 'f'.repeat(64)), { code: 'client_not_found' });
  },
);

t.test('a repeated submission gets its result also if its history cannot be stored', async (t) => {
  const world = await lived({
    wrapStorage: (storage) => ({
      ...storage,
      addMoment: () => {
        throw new Error('read-only');
      },
    }),
  });
  const link = await world.mint();
  await world.submitJson(link);
  const repeated = await world.submitJson(link);
  t.match([repeated.status, JSON.parse(repeated.body).data], [200, { repeated: true, unchanged: true }]);
});

t.test('what a person repeats has a bound: 20 repeated submissions are recorded', async (t) => {
  const world = await lived();
  const link = await world.mint();
  for (let count = 0; count < 30; count++) await world.submitJson(link);
  t.equal((await historyOf(world, link)).filter((type) => type === 'claim.repeated').length, 20);
});

t.test(
  'an event that fails is repeated with its id, and onError identifies it without the user',
  async (t) => {
    const failures: unknown[] = [];
    const told: ClaimlinkEvent[] = [];
    const world = await lived({
      onEvent: (event) => {
        told.push(event);
        if (told.length === 1) throw new Error('The receiver does not answer.');
      },
      onError: (error, request, submission, event) =>
        void failures.push({ error, request, submission, event }),
    });
    const link = await world.mint();
    const linkId = hashAccessCode(link.accessCode);
    await world.claimlink.revokeLink(CLIENT_ID, linkId);
    await world.claimlink.idle();
    t.match(await world.claimlink.deliverPending(), { delivered: 0, pending: 1 });
    world.advance(MINUTE);
    t.match(await world.claimlink.deliverPending(), { delivered: 1, failedAttempts: 0, pending: 0 });
    t.equal(told[0]?.id, told[1]?.id);
    t.same(
      told.map(({ attempt }) => attempt),
      [1, 2],
    );
    t.strictSame(failures, [
      {
        error: new Error('The receiver does not answer.'),
        request: undefined,
        submission: undefined,
        event: {
          type: 'link.revoked',
          id: told[0]?.id,
          clientId: CLIENT_ID,
          linkId,
          attempt: 1,
          isFinal: false,
        },
      },
    ]);
  },
);

t.test(
  'another process without the option records by the choice, and changes it only if it has one',
  async (t) => {
    const world = await lived();
    const options = (events?: readonly EventType[]): ClaimlinkOptions => ({
      storage: world.storage,
      signer: world.signer,
      publicUrl: PUBLIC_URL,
      now: world.now,
      ...(events && { events }),
    });
    const [first, second] = [await world.mint(), await world.mint()].map(({ accessCode }) =>
      hashAccessCode(accessCode),
    );
    await createClaimlink(options()).revokeLink(CLIENT_ID, first ?? '');
    t.same(await typesOf(world), ['link.revoked']);
    await createClaimlink(options([])).revokeLink(CLIENT_ID, second ?? '');
    t.same(await typesOf(world), ['link.revoked']);
    t.equal(
      (await world.storage.listMoments({ clientId: CLIENT_ID, accessCodeHash: second ?? '' }))?.length,
      1,
    );
  },
);

t.test('a service whose choice has ended delivers what was recorded before', async (t) => {
  const world = await lived({ onEvent: () => Promise.reject(new Error('later')) });
  const link = await world.mint();
  await world.claimlink.revokeLink(CLIENT_ID, hashAccessCode(link.accessCode));
  await world.claimlink.idle();
  world.advance(MINUTE);
  const told: string[] = [];
  const next = createClaimlink({
    storage: world.storage,
    signer: world.signer,
    publicUrl: PUBLIC_URL,
    now: world.now,
    events: ['claim.submitted'],
    onEvent: ({ type }) => void told.push(type),
  });
  t.match(await next.deliverPending(), { delivered: 1, pending: 0 });
  await next.revokeLink(CLIENT_ID, hashAccessCode((await world.mint()).accessCode));
  t.match(await next.deliverPending(), { delivered: 0, pending: 0 });
  t.same(told, ['link.revoked']);
});

t.test('a choice that cannot be stored fails its call, and the next call stores it', async (t) => {
  let isBroken = true;
  const world = await lived({
    wrapStorage: (storage) => ({
      ...storage,
      chooseEvents: (choice: EventChoice) => {
        if (isBroken) throw new Error('broken');
        return storage.chooseEvents(choice);
      },
    }),
  });
  t.equal((await world.requestLink(linkRequest())).status, 500);
  isBroken = false;
  t.equal((await world.requestLink(linkRequest())).status, 200);
  t.equal(world.storage.snapshot().life.choice.types.length, 8);
});

t.test('a service that replaces another choice of events warns once, and names both', async (t) => {
  const warnings: (Error & { code?: string })[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  const storage = createMemoryStorage();
  await storage.insertClient({ clientId: CLIENT_ID });
  async function start(events: readonly EventType[] | undefined, changes: Partial<typeof storage> = {}) {
    // Warnings are emitted in the next tick, also those of earlier tests.
    await setImmediate();
    warnings.length = 0;
    const service = createClaimlink({
      storage: { ...storage, ...changes },
      signer: createLinkSigner({
        keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }],
        issuer: PUBLIC_URL,
      }),
      publicUrl: PUBLIC_URL,
      ...(events && { events, expiryNoticeSeconds: 60 }),
    });
    for (let calls = 0; calls < 2; calls++) await service.deleteUser(CLIENT_ID, USER_ID);
    await setImmediate();
    return warnings.filter(({ code }) => code === 'CLAIMLINK_EVENTS_REPLACED').map(({ message }) => message);
  }
  t.same(await start(['link.started', 'link.expiring']), [], 'the first choice');
  t.same(await start(['link.expiring', 'claim.submitted', 'link.started']), [], 'the same one');
  t.same(await start(undefined), [], 'none');
  const replaced = await start(['data.deleted']);
  t.equal(replaced.length, 1);
  t.match(replaced[0], /storage: link\.expiring \(60 s\), link\.started\. It is now: data\.deleted\./);
  t.match(await start([]), [/storage: data\.deleted\. It is now: none\./]);
  t.same(await start(['link.started']), [], 'a choice after none');
  for (const result of [undefined, null, { affectedRows: 1 }, [{ insertId: 0 }]])
    t.same(await start(['link.locked'], { chooseEvents: () => result as never }), [], 'a storage of 0.2');
});

t.test(
  'a storage of today without LifeStorage works as before, and is rejected for what needs it',
  async (t) => {
    const LIFE = /chooseEvents|Moment/;
    const plain = (storage: Storage) =>
      Object.fromEntries(Object.entries(storage).filter(([name]) => !LIFE.test(name))) as unknown as Storage;
    const world = await createWorld({ wrapStorage: plain });
    const link = await world.mint();
    await world.submitJson(link);
    await world.submitJson(link);
    t.equal(world.events.length, 1);
    t.same(await historyOf(world, link), ['link.created', 'claim.submitted']);
    const detail = /must implement LifeStorage, which the option events needs; it lacks chooseEvents/;
    for (const events of [['link.started'], EVENT_TYPES] as const)
      await t.rejects(createWorld({ wrapStorage: plain, withoutOnSubmit: true, events }), {
        code: 'options_invalid',
        problems: [{ pointer: '/storage', detail }],
      });
    await createWorld({ wrapStorage: plain, withoutOnSubmit: true, events: ['claim.submitted'] });
    await t.rejects(world.claimlink.addClient({ clientId: 'b', settings: { allowDecline: true } }), {
      code: 'options_invalid',
      problems: [{ detail: /the client setting allowDecline/ }],
    });
  },
);

t.test(
  'a storage with an outbox of its own for the events of links, as in 0.2, is rejected at the start',
  async (t) => {
    const wrapStorage = (storage: Storage) => ({ ...storage, leaseLifeEvents: () => [] });
    await t.rejects(createWorld({ wrapStorage }), {
      code: 'options_invalid',
      problems: [
        { pointer: '/storage', detail: /leaseLifeEvents .* read docs\/upgrading\.md, "One outbox"/ },
      ],
    });
  },
);

t.test('events of links need an OutboxStorage as well', async (t) => {
  const wrapStorage = ({ leaseEvents: _, ...storage }: ReturnType<typeof createMemoryStorage>) => storage;
  await t.rejects(
    createWorld({ wrapStorage: wrapStorage as never, withoutOnSubmit: true, events: ['link.started'] }),
    {
      code: 'options_invalid',
      problems: [
        { detail: /must implement OutboxStorage, which the option events needs; it lacks leaseEvents/ },
      ],
    },
  );
});

t.test(
  'a service delivers and counts the events that it chose: submissions, those of links, or both',
  async (t) => {
    const chosen = async (events: readonly EventType[]) => {
      const silent = { withoutOnSubmit: true, recordSubmissions: true, events: ['link.revoked'] } as const;
      const world = await createWorld(silent);
      await world.submitJson(await world.mint());
      const { accessCode } = await world.mint();
      await world.claimlink.revokeLink(CLIENT_ID, hashAccessCode(accessCode));
      const told: string[] = [];
      const { storage, signer, now } = world;
      const onEvent = ({ type }: ClaimlinkEvent) => void told.push(type);
      const claimlink = createClaimlink({ storage, signer, now, publicUrl: PUBLIC_URL, events, onEvent });
      return {
        ...(await claimlink.deliverPending()),
        told: told.sort(),
        left: await claimlink.countEvents(),
      };
    };
    const result = { failedAttempts: 0, pending: 0, failed: 0 };
    const one = { ...result, delivered: 1, left: { pending: 1, failed: 0 } };
    t.same(await chosen(['link.revoked']), { ...one, told: ['link.revoked'] });
    t.same(await chosen(['claim.submitted', 'link.revoked']), {
      ...{ ...result, delivered: 2, left: { pending: 0, failed: 0 } },
      told: ['claim.submitted', 'link.revoked'],
    });
    const world = await createWorld({
      withoutOnSubmit: true,
      recordSubmissions: true,
      events: ['link.revoked'],
    });
    await world.submitJson(await world.mint());
    const { accessCode } = await world.mint();
    await world.claimlink.revokeLink(CLIENT_ID, hashAccessCode(accessCode));
    const submitted: string[] = [];
    const { storage, signer, now } = world;
    const onSubmit = ({ type }: ClaimlinkEvent) => void submitted.push(type);
    const claimlink = createClaimlink({ storage, signer, now, publicUrl: PUBLIC_URL, onSubmit });
    t.same(await claimlink.deliverPending(), { ...result, delivered: 1 });
    t.same(submitted, ['claim.submitted'], 'onSubmit alone takes no event of a link');
  },
);

t.test('onSubmit is the short form of onEvent, and not used with it', async (t) => {
  for (const options of [{ onEvent: () => {} }, { events: ['claim.submitted'] as const }])
    await t.rejects(createWorld(options), {
      code: 'options_invalid',
      problems: [{ pointer: '/onSubmit', rule: 'combination' }],
    });
  for (const [options, pointer] of [
    [{ events: ['link.opened'] }, '/events'],
    [{ events: 'link.started' }, '/events'],
    [{ onEvent: true }, '/onEvent'],
    [{ expiryNoticeSeconds: 59 }, '/expiryNoticeSeconds'],
  ] as const)
    await t.rejects(createWorld({ withoutOnSubmit: true, ...(options as object) }), {
      code: 'options_invalid',
      problems: [{ pointer, rule: 'value' }],
    });
});

t.test('exportUser and deleteUser cover the moments and the events of a user', async (t) => {
  const world = await lived({ onEvent: () => Promise.reject(new Error('later')) });
  const link = await world.mint();
  await post(world, link, { action: 'start' });
  await world.claimlink.idle();
  t.match(await world.claimlink.exportUser(CLIENT_ID, USER_ID), {
    links: [{ history: [{ type: 'link.created' }, { type: 'link.started' }] }],
  });
  t.match(await world.claimlink.deleteUser(CLIENT_ID, USER_ID), { links: 1, events: 1 });
  t.notMatch(JSON.stringify(world.storage.snapshot()), USER_ID);
});
