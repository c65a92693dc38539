// The JSON of a session: the documented members, all of them, in the documented order, and nothing else.
import t from 'tap';
import type { Session } from '../../lib/core/types.js';
import { sessionListJson } from '../../lib/http/session-json.js';
import { createWorld, outcomeOf, problemOf, storedSession } from '../core/world.js';

const DOCUMENTED =
  '{"reference":"S-1","date":"2026-02-01T12:34","camsReference":"C-1","status":"submitted",' +
  '"createdAt":"2026-02-01T12:00","selectedPolicy":{"number":"P-100","provider":"Acme",' +
  '"holder":{"firstName":"Ada","lastName":"Lovelace","id":"user-1","phone":"+44 1","email":"ada@example.com"},' +
  '"validFrom":"2026-01-01","validTo":"2026-12-31",' +
  '"linkedContacts":[{"firstName":"Grace","lastName":"Hopper","email":"grace@example.com"}],' +
  '"vehicle":{"licensePlate":"B-CL 2026"}}}';

/** Returns the JSON of one session. */
function sessionJson(session: Session): string {
  return sessionListJson([session]).text.slice(1, -1);
}

t.test('a session is written as documented, to the byte', async (t) => {
  t.equal(sessionJson(storedSession()), DOCUMENTED);
});

t.test('members have the documented order, in any order of the storage', async (t) => {
  const { selectedPolicy, ...rest } = storedSession();
  const { vehicle, ...policy } = selectedPolicy;
  const reordered = { selectedPolicy: { vehicle, ...policy }, ...rest };
  t.equal(sessionJson(reordered), DOCUMENTED);
});

t.test('undocumented members of a storage are left out, at every level', async (t) => {
  const session = storedSession();
  const { selectedPolicy: policy } = session;
  const leaky = {
    ...session,
    incident: { date: '2026-02-01', description: 'leak' },
    tenant: 'leak',
    selectedPolicy: {
      ...policy,
      price: 'leak',
      holder: { ...policy.holder, iban: 'leak' },
      vehicle: { ...policy.vehicle, vin: 'leak' },
      linkedContacts: policy.linkedContacts.map((contact) => ({ ...contact, phone: 'leak', note: 'leak' })),
    },
  };
  t.equal(sessionJson(leaky), DOCUMENTED);
});

t.test('dates are cut to the minute, not rounded, in UTC', async (t) => {
  const session = storedSession({
    date: new Date('2026-12-31T23:59:59.999Z'),
    createdAt: new Date('2026-03-29T02:30:00+02:00'),
  });
  t.match(JSON.parse(sessionJson(session)), { date: '2026-12-31T23:59', createdAt: '2026-03-29T00:30' });
});

t.test('validFrom and validTo are cut to the day', async (t) => {
  const selectedPolicy = {
    ...storedSession().selectedPolicy,
    validFrom: '2026-01-01T00:00:00Z',
    validTo: '2026-12-31T23:59',
  };
  const wire: unknown = JSON.parse(sessionJson(storedSession({ selectedPolicy })));
  t.match(wire, { selectedPolicy: { validFrom: '2026-01-01', validTo: '2026-12-31' } });
});

t.test('strings are escaped as JSON', async (t) => {
  const reference = '"\\\n\u2028</script>\u0000🚗';
  t.match(JSON.parse(sessionJson(storedSession({ reference }))), { reference });
});

t.test('a listing is a top-level array', async (t) => {
  t.equal(sessionListJson([]).text, '[]');
  t.equal(sessionListJson([storedSession()]).text, `[${DOCUMENTED}]`);
  t.equal(sessionListJson([storedSession(), storedSession()]).text, `[${DOCUMENTED},${DOCUMENTED}]`);
});

t.test('the JSON of a frozen list of frozen sessions is cached', async (t) => {
  let reads = 0;
  const sessions = [Object.freeze(storedSession())];
  const list = new Proxy(Object.freeze(sessions), {
    get(target, name) {
      if (name === 'map') reads++;
      return Reflect.get(target, name);
    },
  });
  t.equal(sessionListJson(list).text, `[${DOCUMENTED}]`);
  t.equal(sessionListJson(list).text, `[${DOCUMENTED}]`);
  t.equal(reads, 1);
});

t.test('the JSON of a frozen list with a session that may change is not cached', async (t) => {
  const session = storedSession();
  const list = Object.freeze([session]);
  t.equal(sessionListJson(list).text, `[${DOCUMENTED}]`);
  session.status = 'settled';
  t.match(JSON.parse(sessionListJson(list).text), [{ status: 'settled' }]);
});

const MISSING: Record<string, (session: Record<string, unknown>, policy: Record<string, unknown>) => void> = {
  reference: (session) => delete session['reference'],
  date: (session) => delete session['date'],
  camsReference: (session) => delete session['camsReference'],
  status: (session) => delete session['status'],
  createdAt: (session) => delete session['createdAt'],
  selectedPolicy: (session) => delete session['selectedPolicy'],
  'selectedPolicy.number': (_, policy) => delete policy['number'],
  'selectedPolicy.provider': (_, policy) => delete policy['provider'],
  'selectedPolicy.holder': (_, policy) => delete policy['holder'],
  'selectedPolicy.holder.id': (_, policy) => delete (policy['holder'] as Record<string, unknown>)['id'],
  'selectedPolicy.holder.email': (_, policy) => delete (policy['holder'] as Record<string, unknown>)['email'],
  'selectedPolicy.validFrom': (_, policy) => delete policy['validFrom'],
  'selectedPolicy.validTo': (_, policy) => delete policy['validTo'],
  'selectedPolicy.linkedContacts': (_, policy) => delete policy['linkedContacts'],
  'selectedPolicy.vehicle': (_, policy) => delete policy['vehicle'],
};

for (const [member, remove] of Object.entries(MISSING)) {
  t.test(`a stored session without ${member} is a 500, and onError gets the cause`, async (t) => {
    const session = structuredClone(storedSession());
    remove(
      session as unknown as Record<string, unknown>,
      session.selectedPolicy as unknown as Record<string, unknown>,
    );
    const world = await worldWith(session);
    t.equal(outcomeOf(await world.list()), '500 internal');
    t.equal(world.errors.length, 1);
    t.ok(world.errors[0]?.error instanceof Error);
  });
}

t.test('a null in place of a documented string is a 500', async (t) => {
  const world = await worldWith({ ...storedSession(), camsReference: null } as unknown as Session);
  t.equal(outcomeOf(await world.list()), '500 internal');
});

t.test('an invalid date is a 500', async (t) => {
  const world = await worldWith(storedSession({ date: new Date(Number.NaN) }));
  t.equal(problemOf(await world.list()).status, 500);
});

function worldWith(session: Session) {
  return createWorld({
    wrapStorage: (storage) => ({ ...storage, listSessions: () => ({ sessions: [session] }) }),
  });
}

t.test('a date outside the documented shape is an error', async (t) => {
  const session = storedSession();
  const { selectedPolicy } = session;
  t.throws(() => sessionJson({ ...session, date: new Date('+010000-01-01T00:00:00Z') }), RangeError);
  t.throws(
    () => sessionJson({ ...session, selectedPolicy: { ...selectedPolicy, validTo: 'soon' } }),
    TypeError,
  );
});
