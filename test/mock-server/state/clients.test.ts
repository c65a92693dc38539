// Clients, their sessions, links and clocks: what belongs to one client stays apart from the others.
import t from 'tap';
import type { ClientUpdate } from '../../../lib/core/types.js';
import { type ClientForm, hashAccessCode } from '../../../lib/index.js';
import type { ScenarioLink } from '../../../mock-server/control/scenario.js';
import type { ClientChange, NewMockClient } from '../../../mock-server/control/types.js';
import { checkScenario } from '../../../mock-server/scenario/scenario-check.js';
import { CLIENTS, NOW, openState, partsOf, submit } from './set-up.js';

const DEMO = { clientId: 'demo' };
const OTHER = { clientId: 'other' };

t.test('configured clients list their first users by name', async (t) => {
  const users = Array.from({ length: 150 }, (_, index) => ({ userId: `ada-${index}` }));
  const scenario = { clients: [{ clientId: 'acme', apiKey: 'k', users }] };
  const { state } = await openState({ scenario, clients: CLIENTS });
  const [acme, demo] = state.methods.clients();
  t.match(demo, { ...CLIENTS[0], userIds: ['user-1', 'user-2', 'user-3', 'user-4', 'user-5'] });
  t.equal(acme?.userIds.length, 100);
  t.equal(acme?.userIds[0], 'ada-0');
});

t.test('an added client has a generated id and key, and can be removed', async (t) => {
  const { state, of } = await openState();
  const added = state.methods.addClient({ name: 'Added' });
  t.match(added, { clientId: /^client-/, apiKey: /^clk_test_/, name: 'Added', isConfigured: false });
  t.ok((await of(added.clientId).listSessions(added.clientId, 'user-1')).sessions.length > 0);
  t.equal(state.methods.removeClient({ clientId: added.clientId }), true);
  t.equal(state.find(added.clientId), undefined);
});

t.test('a client may have the key of a removed one', async (t) => {
  const { state } = await openState();
  const { clientId, apiKey } = state.methods.addClient();
  t.ok(state.methods.removeClient({ clientId }));
  t.match(state.methods.addClient({ clientId: 'next', apiKey }), { clientId: 'next', apiKey });
});

t.test('an added client has an id and a key of its own, and valid members', async (t) => {
  const { state } = await openState();
  t.throws(() => state.methods.addClient({ clientId: 'demo' }), { code: 'already_exists' });
  t.throws(() => state.methods.addClient({ apiKey: 'key-of-demo' }), { code: 'already_exists' });
  const cases = [
    [{ clientId: 'verify' }, '/clientId'],
    [{ callbackOrigins: ['https://a.example/path'] }, '/callbackOrigins'],
  ] as const;
  for (const [client, pointer] of cases)
    t.throws(() => state.methods.addClient(client), { code: 'request_invalid', problems: [{ pointer }] });
});

t.test('a change of settings changes what it names: null removes a member, others stay', async (t) => {
  const { state } = await openState();
  const branding = { displayName: 'Demo', primaryColor: '#14508c' };
  const origins = { callbackOrigins: ['https://a.example'], frameAncestors: ['https://b.example'] };
  t.match(
    state.methods.updateClient({ clientId: 'demo', name: 'Demo', locale: 'de', branding, ...origins }),
    {
      ...{ name: 'Demo', locale: 'de', branding, ...origins },
      isConfigured: true,
    },
  );
  const change = { locale: null, callbackOrigins: null, branding: { displayName: null } };
  state.methods.updateClient({ clientId: 'demo', ...change, frameAncestors: [] });
  const { userIds, isConfigured, ...client } = state.need('demo').client;
  t.match(client, { name: 'Demo', branding: { primaryColor: '#14508c' }, frameAncestors: [] });
  for (const name of ['locale', 'callbackOrigins']) t.notOk(Object.hasOwn(client, name));
  t.strictSame(Object.keys(client.branding ?? {}), ['primaryColor']);
  t.notOk(state.methods.updateClient({ clientId: 'demo', branding: null }).branding);
  const settings = { redirectAfterSeconds: 'never' } as const;
  t.strictSame(state.methods.updateClient({ clientId: 'demo', settings }).settings, settings);
  t.strictSame(state.methods.updateClient({ clientId: 'demo', settings: {} }).settings, settings);
  const form = { clientId: 'demo', settings: { form: { noticeConfirmation: true } } };
  t.strictSame(state.methods.updateClient(form).settings, { ...settings, ...form.settings });
  const other = { clientId: 'demo', settings: { form: { contacts: 'email' as const } } };
  t.strictSame(
    state.methods.updateClient(other).settings,
    { ...settings, ...other.settings },
    'a form is replaced as a whole, as by the service',
  );
  const none = { clientId: 'demo', settings: { redirectAfterSeconds: null, form: null } };
  t.notOk(Object.hasOwn(state.methods.updateClient(none), 'settings'), 'settings end with their last member');
  t.notOk(state.methods.updateClient({ clientId: 'demo', settings: null }).settings);
  t.throws(() => state.methods.updateClient({ clientId: 'demo', name: undefined } as never), {
    code: 'request_invalid',
  });
  t.strictSame(state.need('other').client.name, undefined, 'the other client stays as it was');
});

const FORM: ClientForm = {
  fields: {
    '/policy/validFrom': 'hidden',
    '/policy/validTo': 'hidden',
    '/policy/vehicle/licensePlate': 'hidden',
    '/incident/time': 'required',
    '/incident/place': 'required',
    '/incident/type': 'required',
    '/incident/injured': 'required',
    '/incident/policeReference': 'required',
    '/incident/otherVehicle/licensePlate': 'required',
    '/incident/otherVehicle/insurer': 'required',
  },
  incidentTypes: [{ key: 'fire', texts: { en: 'Fire' } }],
  questions: (['text', 'textarea', 'date', 'boolean'] as const).map((kind) => ({
    key: `q_${kind}`,
    step: 'incident',
    kind,
    required: true,
    texts: { en: { label: kind } },
  })),
};

t.test('a claim that the mock generates has what the form of its client asks', async (t) => {
  const links: ScenarioLink[] = [{ userId: 'ada' }, { userId: 'ada', state: 'submitted' }];
  const client = { clientId: 'acme', apiKey: 'clk_acme', settings: { form: FORM }, links };
  const { state, of } = await openState({ scenario: { clients: [client] } });
  for (const link of state.methods.links({ clientId: 'acme', state: 'created' }))
    await state.methods.submitLink({ clientId: 'acme', link: link.linkId });
  const { sessions } = await of('acme').listSessions('acme', 'ada');
  const generated = sessions.filter(({ incident }) => incident?.answers !== undefined);
  t.equal(generated.length, 2);
  for (const { selectedPolicy, incident } of generated) {
    t.match(selectedPolicy, { validFrom: '', validTo: '', vehicle: { licensePlate: '' } });
    t.strictSame(Object.keys(incident?.answers ?? {}), ['q_text', 'q_textarea', 'q_date', 'q_boolean']);
    t.match(incident, {
      type: 'fire',
      place: String,
      policeReference: String,
      otherVehicle: { insurer: String },
    });
  }
});

t.test('a scenario and a change of a client may have a form, and a bad one is rejected', async (t) => {
  const { state } = await openState();
  t.strictSame(state.methods.updateClient({ clientId: 'demo', settings: { form: FORM } }).settings, {
    form: FORM,
  });
  const change = {
    clientId: 'demo',
    settings: { form: { fields: { '/incident/type': 'required' } } },
  };
  t.throws(() => state.methods.updateClient(change as ClientUpdate), {
    code: 'request_invalid',
    problems: [{ pointer: '/settings/form/incidentTypes', detail: /required if the form asks/ }],
  });
  t.strictSame(checkScenario({ clients: [{ clientId: 'a', apiKey: 'k', settings: { form: FORM } }] }), []);
  t.match(
    checkScenario({
      clients: [{ clientId: 'a', apiKey: 'k', settings: { form: { fields: { '/x': 'hidden' } } } }],
    }),
    [{ pointer: '/clients/0/settings/form/fields' }],
  );
});

t.test('a session of a scenario may lack the days of its cover, and have answers', async (t) => {
  const selectedPolicy = { validFrom: '', validTo: '' };
  const session = { reference: 'R-1', selectedPolicy, incident: { time: '09:30', answers: { q: true } } };
  const users = [{ userId: 'ada', sessions: [session] }];
  const { of } = await openState({
    scenario: { clients: [{ clientId: 'acme', apiKey: 'clk_acme', users }] },
  });
  const { sessions } = await of('acme').listSessions('acme', 'ada');
  t.match(sessions[0], session);
});

t.test('settings that the service rejects change nothing; each has its pointer', async (t) => {
  const { state } = await openState();
  const before = state.need('demo').client;
  const assertRejected = (change: ClientChange, pointer: string, detail: RegExp) => {
    const expected = { code: 'request_invalid', problems: [{ pointer, detail }] };
    t.throws(() => state.methods.updateClient({ clientId: 'demo', ...change }), expected);
    t.throws(() => state.methods.addClient(change as NewMockClient), expected);
  };
  assertRejected(
    { branding: { primaryColor: '#ff9900' } },
    '/branding/primaryColor',
    /the nearest colour of this hue that does is #[0-9a-f]{6}$/,
  );
  assertRejected({ branding: { logoUrl: 'http://a.example/logo.png' } }, '/branding/logoUrl', /https/);
  assertRejected({ locale: 'German' }, '/locale', /BCP 47/);
  assertRejected({ settings: { redirectAfterSeconds: 4 } }, '/settings/redirectAfterSeconds', /5 to 300/);
  assertRejected({ frameAncestors: ['https://a.example/x'] }, '/frameAncestors', /not an origin/);
  t.throws(() => state.methods.updateClient({ clientId: 'unknown' }), { code: 'client_not_found' });
  t.strictSame(state.need('demo').client, before);
});

t.test('sessions without a moment keep their order: the first one is the newest', async (t) => {
  const references = Array.from({ length: 20 }, (_, index) => `R-${index}`);
  const sessions = references.map((reference) => ({ reference }));
  const client = { clientId: 'acme', apiKey: 'clk_acme', users: [{ userId: 'ada', sessions }] };
  const { state, of } = await openState({ scenario: { clients: [client] } });
  const listed = async (userId: string) =>
    (await of('acme').listSessions('acme', userId)).sessions.map(({ reference }) => reference);
  t.strictSame(await listed('ada'), references, 'in a scenario');
  state.methods.setSessions({
    clientId: 'acme',
    userId: 'ben',
    sessions: sessions.map(({ reference }) => ({ reference: `ben-${reference}` })),
  });
  t.strictSame(
    await listed('ben'),
    references.map((reference) => `ben-${reference}`),
    'set',
  );
});

t.test('set sessions are exactly those of the user; the seed completes them', async (t) => {
  const { state, of } = await openState();
  state.methods.setSessions({
    clientId: 'demo',
    userId: 'ada',
    sessions: [{ reference: 'R-1', createdAt: '2026-01-10T08:00' }, {}],
  });
  const { sessions } = await of('demo').listSessions('demo', 'ada');
  t.equal(sessions.length, 2);
  t.match(sessions[0], { reference: 'R-1', createdAt: '2026-01-10T08:00Z', status: 'submitted' });
  t.ok((sessions[0]?.date ?? NOW) > new Date('2026-01-10T08:00Z'), 'the end follows the start');
  t.equal(sessions[0]?.selectedPolicy.holder.id, 'ada');
  state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [] });
  t.strictSame((await of('demo').listSessions('demo', 'ada')).sessions, []);
  t.ok(
    (await of('other').listSessions('other', 'ada')).sessions.length > 0,
    'the other client keeps its own',
  );
});

t.test('an added session is listed beside the seeded ones', async (t) => {
  const { state, of } = await openState();
  const before = (await of('demo').listSessions('demo', 'ada')).sessions;
  const { reference } = state.methods.addSession({
    clientId: 'demo',
    userId: 'ada',
    session: { createdAt: '2026-01-10T08:00' },
  });
  const after = (await of('demo').listSessions('demo', 'ada')).sessions;
  t.equal(after.length, before.length + 1);
  t.equal(after[0]?.reference, reference);
  t.not(
    state.methods.addSession({ clientId: 'demo', userId: 'ada', session: {} }).reference,
    reference,
    'each has a reference of its own',
  );
});

t.test('invalid sessions are rejected with every problem, and change nothing', async (t) => {
  const { state, of } = await openState();
  const before = await of('demo').listSessions('demo', 'ada');
  const session = { selectedPolicy: { validFrom: '2026-12-01', validTo: '2026-11-30' } };
  t.throws(() => state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [session] }), {
    code: 'request_invalid',
    problems: [{ pointer: '/sessions/0/selectedPolicy/validTo' }],
  });
  t.throws(() => state.methods.addSession({ clientId: 'demo', userId: 'ada', session }), {
    code: 'request_invalid',
    problems: [{ pointer: '/session/selectedPolicy/validTo' }],
  });
  t.throws(
    () =>
      state.methods.setSessions({
        clientId: 'demo',
        userId: 'ada',
        sessions: [{ reference: 'A' }, { reference: 'A' }],
      }),
    {
      code: 'request_invalid',
      problems: [{ pointer: '/sessions/1/reference' }],
    },
  );
  t.throws(() => state.methods.setSessions({ clientId: 'unknown', userId: 'ada', sessions: [] }), {
    code: 'client_not_found',
  });
  t.strictSame(await of('demo').listSessions('demo', 'ada'), before);
});

t.test('a reference is unique within the client, over stored and seeded sessions', async (t) => {
  const { state, of } = await openState();
  state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [{ reference: 'R' }] });
  t.throws(
    () => state.methods.setSessions({ clientId: 'demo', userId: 'ben', sessions: [{ reference: 'R' }] }),
    { code: 'already_exists' },
  );
  t.throws(() => state.methods.addSession({ clientId: 'demo', userId: 'ben', session: { reference: 'R' } }), {
    code: 'already_exists',
  });
  const [seeded] = (await of('demo').listSessions('demo', 'ben')).sessions;
  t.throws(
    () =>
      state.methods.addSession({
        clientId: 'demo',
        userId: 'ben',
        session: { reference: seeded?.reference ?? '' },
      }),
    {
      code: 'already_exists',
    },
  );
  state.methods.setSessions({ clientId: 'other', userId: 'ada', sessions: [{ reference: 'R' }] });
});

t.test(
  'an added session may have a reference that the seed gives another user, who then lacks it',
  async (t) => {
    const { state, of } = await openState();
    const list = async (userId: string) => (await of('demo').listSessions('demo', userId)).sessions;
    const seeded = await list('ben');
    const reference = seeded[0]?.reference ?? '';
    t.equal(
      state.methods.addSession({ clientId: 'demo', userId: 'ada', session: { reference } }).reference,
      reference,
    );
    t.same(
      (await list('ben')).map((session) => session.reference),
      seeded.slice(1).map((session) => session.reference),
    );
    t.ok((await list('ada')).some((session) => session.reference === reference));
    state.methods.reset({});
    t.same(await list('ben'), seeded);
  },
);

t.test('a user without seeded sessions may have their references', async (t) => {
  const { state, of } = await openState();
  const [{ reference = '' } = {}] = (await of('demo').listSessions('demo', 'ada')).sessions;
  state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [] });
  t.equal(
    state.methods.addSession({ clientId: 'demo', userId: 'ada', session: { reference } }).reference,
    reference,
  );
});

t.test('seeded sessions are the same after others took their place in memory; changes stay', async (t) => {
  const open = await openState({ sessionCount: 3000 });
  const { state, of, createLink } = open;
  const reference = await submit(open, await createLink('demo', 'ada'));
  const list = async (userId: string) => (await of('demo').listSessions('demo', userId)).sessions;
  const [ada, ben] = [await list('ada'), await list('ben')];
  for (let index = 0; index < 4; index++) await list(`user-${index}`);
  t.equal(ada[0]?.reference, reference);
  t.strictSame([await list('ada'), await list('ben')], [ada, ben]);
  t.equal(state.need('demo').sessions('ada').length, 3001);
  const saved = state.need('demo').save();
  t.strictSame(
    [saved.storedUsers, saved.sessions.length],
    [['ada'], 3001],
    'the state has no sessions of the seed alone',
  );
});

t.test('a page goes on after the seeded sessions were removed from memory', async (t) => {
  const { of } = await openState({ sessionCount: 6000 });
  const list = (userId: string, cursor?: string) =>
    of('demo').listSessions('demo', userId, { limit: 2, ...(cursor !== undefined && { cursor }) });
  const first = await list('ada');
  await list('ben');
  const second = await list('ada', first.nextCursor);
  const { sessions } = await of('demo').listSessions('demo', 'ada', { limit: 4 });
  t.strictSame([...first.sessions, ...second.sessions], sessions);
});

t.test('a clock that is not frozen keeps its offset when it is resumed', async (t) => {
  const { state } = await openState();
  state.methods.advanceClock({ ms: 1000 });
  t.equal(state.methods.setClock({ isFrozen: false }).offsetMs, 1000);
});

t.test('a link that expires early can be neither opened nor submitted nor revoked', async (t) => {
  const { state, of, createLink } = await openState();
  const url = await createLink('demo', 'ada');
  t.match(state.methods.expireLink({ link: url }), { state: 'expired', expiresAt: NOW.toISOString() });
  await t.rejects(of('demo').openLink(...partsOf(url)), { code: 'link_expired' });
  t.equal(await of('demo').revokeLink('demo', hashAccessCode(partsOf(url)[0])), false);
});

t.test('a link that has expired keeps its expiresAt', async (t) => {
  const { state, createLink, system } = await openState();
  const url = await createLink('demo', 'ada');
  state.methods.expireLink({ link: url });
  system.now = new Date(NOW.getTime() + 60_000);
  t.strictSame(state.methods.expireLink({ link: url }).expiresAt, NOW);
});

t.test('of links with the same createdAt the latest is listed first', async (t) => {
  const { state, createLink } = await openState();
  const urls = [await createLink('demo', 'ada'), await createLink('demo', 'ada')];
  t.same(
    state.methods.links().map(({ url }) => url),
    urls.toReversed(),
  );
});

t.test(
  'links are listed newest first, by client, user and state, and counted beyond the limit',
  async (t) => {
    const { state, createLink, system } = await openState();
    for (let index = 0; index < 120; index++) {
      system.now = new Date(NOW.getTime() + index * 1000);
      await createLink(index % 2 === 0 ? 'demo' : 'other', index < 4 ? 'ada' : 'ben');
    }
    t.equal(state.methods.links().length, 100);
    t.equal(state.methods.countLinks(), 120);
    t.equal(state.methods.links({ limit: 1 })[0]?.createdAt.getTime(), system.now.getTime());
    t.equal(state.methods.links({ ...DEMO, userId: 'ada' }).length, 2);
    t.equal(state.methods.countLinks({ ...OTHER, state: 'created' }), 60);
    t.equal(state.methods.countLinks({ state: 'revoked' }), 0);
    t.throws(() => state.methods.links({ clientId: 'unknown' }), { code: 'client_not_found' });
  },
);

t.test('a client forgets its oldest links beyond 10,000, at the latest when it has 11,000', async (t) => {
  const { state, of, createLink } = await openState();
  const first = await createLink('demo', 'ada');
  const second = await createLink('demo', 'ada');
  const third = await createLink('demo', 'ada');
  for (let index = 0; index < 10_998; index++) await createLink('demo', `user-${index}`);
  t.equal(state.methods.countLinks(), 10_001);
  for (const url of [first, second, third])
    await t.rejects(of('demo').openLink(...partsOf(url)), { code: 'link_not_found' });
});

t.test(
  'the clock of a client changes alone; without a client all clocks change, and those of new clients',
  async (t) => {
    const { state, system } = await openState();
    state.methods.advanceClock({ ms: 60_000, ...DEMO });
    t.strictSame(state.methods.clock(DEMO), {
      now: new Date(NOW.getTime() + 60_000),
      isFrozen: false,
      offsetMs: 60_000,
    });
    t.strictSame(state.methods.clock(OTHER).now, NOW);
    t.strictSame(state.methods.clock().now, NOW);
    state.methods.setClock({ now: '2030-01-31T12:00:00Z', isFrozen: true });
    const added = state.methods.addClient();
    system.now = new Date(NOW.getTime() + 5000);
    for (const selection of [{}, DEMO, OTHER, { clientId: added.clientId }])
      t.match(state.methods.clock(selection), { now: '2030-01-31T12:00:00Z', isFrozen: true });
    state.methods.setClock({ isFrozen: false, ...DEMO });
    system.now = new Date(NOW.getTime() + 6000);
    t.strictSame(state.methods.clock(DEMO).now, new Date('2030-01-31T12:00:01Z'));
    t.match(state.methods.resetClock(DEMO), { now: system.now.toISOString(), offsetMs: 0 });
  },
);

t.test('a clock stays in the years 1980 to 9000, and a rejected change changes no clock', async (t) => {
  const { state } = await openState();
  state.methods.setClock({ now: '8999-12-31T00:00:00Z', ...DEMO });
  t.throws(() => state.methods.advanceClock({ ms: 800 * 86_400_000 }), {
    code: 'request_invalid',
    problems: [{ pointer: '/ms' }],
  });
  t.strictSame(state.methods.clock(OTHER).now, NOW);
  for (const now of ['1979-12-31', '2026-02-30T00:00', 'tomorrow', new Date(Number.NaN)])
    t.throws(() => state.methods.setClock({ now }), {
      code: 'request_invalid',
      problems: [{ pointer: '/now' }],
    });
  t.throws(() => state.methods.advanceClock({ ms: Number.NaN }), { code: 'request_invalid' });
  t.throws(() => state.methods.clock({ clientId: 'unknown' }), { code: 'client_not_found' });
});

t.test('changes are events, in order', async (t) => {
  const { state, createLink } = await openState();
  const events: unknown[] = [];
  const end = state.events.subscribe(
    {},
    ({ type, clientId, ...event }) => {
      events.push([type, clientId, ...('part' in event ? [event.part] : [])]);
    },
    () => {},
  );
  await createLink('demo', 'ada');
  state.methods.setSessions({ clientId: 'demo', userId: 'ada', sessions: [] });
  state.methods.advanceClock({ ms: 1, ...DEMO });
  state.methods.advanceClock({ ms: 1 });
  state.methods.addFault({ ...OTHER, status: 503 });
  state.methods.snapshot({ name: 'one' });
  state.methods.clearFaults(OTHER);
  state.methods.clearRequests(DEMO);
  end();
  state.methods.reset();
  t.strictSame(events, [
    ['link', 'demo'],
    ['sessions', 'demo'],
    ['changed', 'demo', 'clock'],
    ['changed', null, 'clock'],
    ['changed', 'other', 'faults'],
    ['changed', null, 'snapshots'],
    ['changed', 'other', 'faults'],
    ['changed', 'demo', 'requests'],
  ]);
});

t.test(
  'an event that a listener causes follows the current one, and a failing listener disturbs no other',
  async (t) => {
    const { state } = await openState();
    const parts: string[] = [];
    const warning = new Promise<Error>((resolve) => process.once('warning', resolve));
    state.events.subscribe(
      {},
      (event) => {
        if (event.type !== 'changed' || event.part !== 'clock') return;
        state.methods.addFault({ status: 503 });
        throw new Error('of a listener');
      },
      () => {},
    );
    let isClosed = false;
    state.events.subscribe(
      {},
      (event) => void parts.push(event.type === 'changed' ? event.part : event.type),
      () => {
        isClosed = true;
      },
    );
    state.methods.advanceClock({ ms: 1 });
    t.strictSame(parts, ['clock', 'faults']);
    t.equal((await warning).message, 'of a listener');
    await state.close();
    t.ok(isClosed);
  },
);
