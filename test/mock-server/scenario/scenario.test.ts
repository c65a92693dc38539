// Scenarios: the published schema, its type, and the one that comes with the package.
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { FromSchema } from 'json-schema-to-ts';
import t from 'tap';
import { type Scenario, scenarioSchema } from '../../../mock-server/index.js';
import { REPOSITORY } from '../../repository.js';

const ajv = new Ajv({ strict: true, allErrors: true });
formats.default(ajv);
const validate = ajv.compile<Scenario>(scenarioSchema);

async function demo(): Promise<Scenario> {
  const text = await readFile(new URL('fixtures/scenarios/demo.json', REPOSITORY), 'utf8');
  return JSON.parse(text);
}

/** The instance paths of what is wrong after a change to the demo scenario. */
async function problemsAfter(change: (scenario: Scenario) => unknown): Promise<string[]> {
  const scenario = await demo();
  change(scenario);
  return validate(scenario)
    ? []
    : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
}

/** Fails to compile unless the documented type and the schema say the same. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const isSame: Same<FromSchema<typeof scenarioSchema>, Scenario> = true;

t.test('the schema and the type are the same', async (t) => {
  t.ok(isSame);
});

t.test('fixtures/scenarios/demo.json matches the schema', async (t) => {
  t.same(await problemsAfter(() => {}), []);
});

t.test('its references are unique, and its users hold their own policies', async (t) => {
  const { clients } = await demo();
  const sessions = clients.flatMap(({ users }) =>
    users.flatMap(({ userId, sessions }) => sessions.map((session) => ({ userId, session }))),
  );
  t.equal(new Set(sessions.map(({ session }) => session.reference)).size, sessions.length);
  t.ok(sessions.every(({ userId, session }) => session.selectedPolicy.holder.id === userId));
  t.ok(sessions.every(({ session }) => session.createdAt < session.date));
});

t.test('dates may have seconds, milliseconds and a Z, and no other shape', async (t) => {
  const withDate = (date: string) => (scenario: Scenario) => {
    const session = scenario.clients[0]?.users[0]?.sessions[0];
    if (session) session.date = date;
  };
  for (const date of ['2025-01-31T23:59', '2025-01-31T23:59:59', '2025-01-31T23:59:59.123Z']) {
    t.same(await problemsAfter(withDate(date)), [], date);
  }
  for (const date of [
    '2025-01-31',
    '2025-13-01T00:00',
    '2025-01-31T24:00',
    '2025-01-31T10:00+01:00',
    'now',
  ]) {
    t.same(await problemsAfter(withDate(date)), ['/clients/0/users/0/sessions/0/date pattern'], date);
  }
});

t.test('what is missing, unknown or impossible is pointed at', async (t) => {
  const at = (change: (client: Record<string, unknown>) => unknown) =>
    problemsAfter((scenario) => change(scenario.clients[0] as unknown as Record<string, unknown>));
  t.same(await problemsAfter((scenario) => scenario.clients.splice(0)), ['/clients minItems']);
  t.same(await at((client) => delete client['apiKey']), ['/clients/0 required']);
  t.same(await at((client) => Object.assign(client, { user: [] })), ['/clients/0 additionalProperties']);
  t.same(await at((client) => Object.assign(client, { clientId: 'verify' })), [
    '/clients/0/clientId pattern',
  ]);
  t.same(await at((client) => Object.assign(client, { clientId: '__x' })), ['/clients/0/clientId pattern']);
  t.same(await at((client) => Object.assign(client, { apiKey: 'a b' })), ['/clients/0/apiKey pattern']);
});
