// Any input of a control method, any scenario and any options: a result of the documented shape, or an error with a code.
import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import t from 'tap';
import { type ClaimlinkError, isClaimlinkError } from '../../lib/index.js';
import { toControlError } from '../../mock-server/control/errors.js';
import { METHODS, type MethodName } from '../../mock-server/control/methods.js';
import type { Scenario } from '../../mock-server/control/scenario.js';
import { OPTION_SCHEMAS } from '../../mock-server/schemas/options.js';
import { scenarioSchema } from '../../mock-server/schemas/scenario.js';
import { runMethod } from '../../mock-server/state/in-process.js';
import { type Mock, openMock } from '../../mock-server/state/mock.js';
import { resolveMockOptions } from '../../mock-server/state/options.js';
import { linkRequest } from '../mock-server/caller.js';
import { fromSchema, nearJson, recordOf, text } from './arbitraries.js';
import { check, inputs } from './check.js';

const HISTORIES = inputs(200, 20);
const SCENARIOS = inputs(3_000, 100);
const OPTIONS = inputs(1_000, 100);

const KNOWN = [
  'demo',
  'demo',
  'demo',
  'user-1',
  '@link',
  '2026-01-01T10:00',
  'submitted',
  'https://app.example.com',
];
const options = resolveMockOptions({ seed: 1, refDate: new Date('2026-03-02T10:00:00Z'), sessionCount: 3 });
const open = () => openMock(options, 'http://127.0.0.1:2');
const { signal } = new AbortController();

const likely = (value: string) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: text });

/** Members that their schemas leave open. */
const OPEN_MEMBERS: Record<string, fc.Arbitrary<unknown>> = {
  clientId: likely('demo'),
  link: likely('@link'),
  request: nearJson(linkRequest('user-1')),
  scenario: fromSchema(scenarioSchema, KNOWN),
  timeoutMs: fc.constant(1),
};

const calls = Object.entries(METHODS).map(([name, { input }]) => {
  const members = Object.entries(input.properties).map(([member, schema]) => [
    member,
    OPEN_MEMBERS[member] ?? fromSchema(schema, KNOWN),
  ]);
  // Without it, waitForRequests waits for 5 seconds.
  const required = name === 'waitForRequests' ? ['timeoutMs'] : (input.required ?? []);
  return fc.record({
    name: fc.constant(name as MethodName),
    input: recordOf(Object.fromEntries(members), required),
  });
});

const ajv = new Ajv({ strict: false, validateFormats: false });
const isOutput = (schema: object | undefined, value: unknown) =>
  schema === undefined || ajv.validate(schema, JSON.parse(JSON.stringify(value)));

/** Returns an error that the control API would answer with a 500, or undefined. */
function unexpected(error: unknown): Error | undefined {
  if (toControlError(error) !== undefined) return undefined;
  return error instanceof Error ? error : new Error(String(error));
}

async function createLink(mock: Mock): Promise<string> {
  const input = { clientId: 'demo', request: linkRequest('user-1') };
  const link = (await runMethod('createLink', input, mock, signal)) as { url: string };
  return link.url;
}

const hasProblems = ({ problems = [] }: ClaimlinkError) => problems.length > 0;

/** Links get new URLs with a scenario, and so new ids. */
const withoutLinkIds = (scenario: Scenario) =>
  JSON.parse(JSON.stringify(scenario, (name, value) => (name === 'linkId' ? '' : value)));

t.test(`${HISTORIES}histories of control methods: documented results, and the state exports`, async (t) => {
  const outcomes = { results: 0, errors: 0, restored: 0 };
  await check(
    HISTORIES,
    fc.asyncProperty(fc.array(fc.oneof(...calls), { minLength: 3, maxLength: 8 }), async (history) => {
      const mock = await open();
      const url = await createLink(mock);
      for (const { name, input } of history) {
        const isLink = Object(input).link === '@link';
        try {
          const result = await runMethod(name, isLink ? { ...input, link: url } : input, mock, signal);
          if (!isOutput(METHODS[name].output, result))
            throw new Error(`${name} returned ${JSON.stringify(result)}`);
          outcomes.results++;
        } catch (error) {
          const failure = unexpected(error);
          if (failure !== undefined) throw failure;
          outcomes.errors++;
        }
      }
      await runMethod('setClock', { isFrozen: true }, mock, signal);
      const before = mock.methods.scenario();
      const other = await open();
      other.methods.setScenario({ scenario: before });
      const after = other.methods.scenario();
      if (!isDeepStrictEqual(withoutLinkIds(after), withoutLinkIds(before)))
        throw new Error(`${JSON.stringify(before)} became ${JSON.stringify(after)}`);
      outcomes.restored++;
    }),
  );
  t.comment(JSON.stringify(outcomes));
  t.ok(outcomes.results > outcomes.restored && outcomes.errors > outcomes.restored, JSON.stringify(outcomes));
});

t.test(`${SCENARIOS}scenarios that are nearly valid: accepted, or rejected with problems`, async (t) => {
  const mock = await open();
  await createLink(mock);
  await mock.methods.sessions({ clientId: 'demo', userId: 'user-1' });
  const exported = mock.methods.scenario();
  let accepted = 0;
  await check(
    SCENARIOS,
    fc.asyncProperty(nearJson(exported), async (scenario) => {
      try {
        await mock.methods.setScenario({ scenario: scenario as Scenario });
        accepted++;
      } catch (error) {
        if (!isClaimlinkError(error) || error.code !== 'request_invalid') throw error;
        if (!hasProblems(error)) throw new Error('no problems');
      }
    }),
  );
  t.ok(accepted > 0 && accepted < SCENARIOS, `${accepted} were accepted`);
});

t.test(`${OPTIONS} options of a mock: each is accepted or rejected with its problems`, async (t) => {
  const { persistFile: _, ...properties } = OPTION_SCHEMAS;
  const valid = {
    port: 0,
    seed: 'seed',
    refDate: '2026-03-02',
    latencyMs: '0-5',
    clients: [{ clientId: 'demo', apiKey: 'key', callbackOrigins: ['https://app.example.com'] }],
    faults: [{ clientId: 'demo', route: 'createLink', status: 503, times: 1 }],
    stepKeys: ['policy'],
    log: 'silent',
  };
  let accepted = 0;
  await check(
    OPTIONS,
    fc.property(fc.oneof(nearJson(valid), fromSchema({ type: 'object', properties }, KNOWN)), (generated) => {
      try {
        resolveMockOptions(generated as object);
        accepted++;
        return true;
      } catch (error) {
        return isClaimlinkError(error) && error.code === 'options_invalid' && hasProblems(error);
      }
    }),
  );
  t.ok(accepted > 0 && accepted < OPTIONS, `${accepted} were accepted`);
});
