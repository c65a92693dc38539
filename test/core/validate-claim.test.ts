// The option validateClaim: the host's own check of a claim, and what its failures do.
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import type { ClaimSubmission, OpenLink } from '../../lib/core/types.js';
import type { ClaimProblem, StandardSchema, ValidateClaim } from '../../lib/core/validate-claim.js';
import { claim, createWorld, linkRequest, outcomeOf, problemOf, storedLink, USER_ID } from './world.js';

const UNKNOWN_POLICY: ClaimProblem = {
  pointer: '/policy/number',
  rule: 'policy_unknown',
  detail: 'We have no policy with this number',
  messages: { de: 'Wir haben keine Police mit dieser Nummer' },
};

/** A schema with these results, as a library would create it. */
function schemaOf(result: () => unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: () => result() as { value: unknown } } };
}

t.test(
  'validateClaim gets the claim without unknown members, and the link with all that a page gets',
  async (t) => {
    const calls: [ClaimSubmission, OpenLink][] = [];
    const world = await createWorld({ validateClaim: (...call) => void calls.push(call) });
    const extra = { case: 7 };
    const link = await world.mint({ config: { ...linkRequest().config, extra } });
    t.equal((await world.submitJson(link, { ...claim(), unknown: true })).status, 200);
    const [[checked, opened] = []] = calls;
    t.strictSame(checked, claim());
    t.match(opened, { clientId: 'acme', clientName: 'Acme Insurance', userId: USER_ID, config: { extra } });
    t.equal(opened?.linkId, hashAccessCode(link.accessCode));
  },
);

t.test('validateClaim cannot change the claim', async (t) => {
  const world = await createWorld({
    validateClaim({ policy }) {
      t.throws(() => Object.assign(policy, { number: 'another' }), TypeError);
      t.throws(() => Object.assign(policy.holder ?? {}, { firstName: 'Eve' }), TypeError);
    },
  });
  t.equal((await world.submitJson(await world.mint())).status, 200);
  t.equal((await world.claimlink.listSessions('acme', USER_ID)).sessions[0]?.selectedPolicy.number, 'P-100');
});

t.test('nothing and an empty list accept the claim', async (t) => {
  for (const result of [undefined, []]) {
    const world = await createWorld({ validateClaim: async () => result });
    t.equal((await world.submitJson(await world.mint())).status, 200, JSON.stringify(result));
  }
});

t.test('a problem is the 400 of a JSON submission, and the link stays usable', async (t) => {
  let problems = [UNKNOWN_POLICY];
  const world = await createWorld({ validateClaim: () => problems });
  const link = await world.mint();
  const response = await world.submitJson(link);
  t.equal(outcomeOf(response), '400 request_invalid');
  t.strictSame(problemOf(response).errors, [UNKNOWN_POLICY]);
  t.strictSame([world.errors, world.events], [[], []]);
  problems = [];
  t.equal((await world.submitJson(link)).status, 200);
});

t.test('a problem without messages gets an empty object, so that a form knows its origin', async (t) => {
  const { messages: _, ...problem } = UNKNOWN_POLICY;
  const world = await createWorld({ validateClaim: () => [problem] });
  t.strictSame(problemOf(await world.submitJson(await world.mint())).errors, [{ ...problem, messages: {} }]);
});

t.test('a form gets the problems with its fields', async (t) => {
  const world = await createWorld({ validateClaim: () => [UNKNOWN_POLICY] });
  const response = await world.submitForm(await world.mint());
  t.equal(response.status, 400);
  t.strictSame(world.widget.forms[0]?.problems, [UNKNOWN_POLICY]);
  t.equal(world.widget.forms[0]?.fields?.has('claim'), true);
});

t.test('submitClaim throws the problems', async (t) => {
  const world = await createWorld({ validateClaim: () => [UNKNOWN_POLICY] });
  const { accessCode, token } = await world.mint();
  await t.rejects(world.claimlink.submitClaim(accessCode, token, claim()), {
    code: 'request_invalid',
    problems: [UNKNOWN_POLICY],
  });
});

t.test('a response has the first 20 problems', async (t) => {
  const many = Array.from({ length: 30 }, (_, index) => ({ ...UNKNOWN_POLICY, rule: `rule-${index}` }));
  const world = await createWorld({ validateClaim: () => many });
  const { errors = [] } = problemOf(await world.submitJson(await world.mint()));
  t.strictSame([errors.length, errors.at(-1)?.rule], [20, 'rule-19']);
});

t.test('validateClaim is called neither for an invalid claim nor for a repetition', async (t) => {
  let calls = 0;
  const world = await createWorld({
    validateClaim: () => {
      calls++;
      return calls === 1 ? [] : [UNKNOWN_POLICY];
    },
  });
  const link = await world.mint();
  t.equal((await world.submitJson(link, {})).status, 400);
  t.equal(calls, 0);
  t.equal((await world.submitJson(link)).status, 200);
  t.equal(calls, 1);
  for (const body of [claim(), claim({ incident: { description: 'Other' } })])
    t.match(JSON.parse((await world.submitJson(link, body)).body), { data: { repeated: true } });
  t.equal(calls, 1);
});

t.test('a claim that is rejected while another one of its link is stored is a repetition', async (t) => {
  const release: (() => void)[] = [];
  let calls = 0;
  const world = await createWorld({
    async validateClaim() {
      if (++calls > 1) return;
      await new Promise<void>((resolve) => release.push(resolve));
      return [UNKNOWN_POLICY];
    },
  });
  const link = await world.mint();
  const slow = world.submitJson(link);
  while (release.length === 0) await setImmediate();
  t.equal((await world.submitJson(link)).status, 200);
  release[0]?.();
  t.match(JSON.parse((await slow).body), { data: { repeated: true, unchanged: true } });
});

t.test('the issues of a Standard Schema are problems with the rule claim', async (t) => {
  const world = await createWorld({
    validateClaim: schemaOf(() => ({
      issues: [
        { message: 'Too old', path: ['policy', { key: 'linkedContacts' }, 0, 'a/b~c'] },
        { message: 'Not for this product' },
        { message: '' },
      ],
    })),
  });
  t.strictSame(problemOf(await world.submitJson(await world.mint())).errors, [
    { pointer: '/policy/linkedContacts/0/a~1b~0c', rule: 'claim', detail: 'Too old', messages: {} },
    { pointer: '', rule: 'claim', detail: 'Not for this product', messages: {} },
    { pointer: '', rule: 'claim', detail: 'is not valid', messages: {} },
  ]);
});

t.test('a Standard Schema may be a function, and its output does not change the claim', async (t) => {
  const schema = Object.assign(
    () => [UNKNOWN_POLICY],
    schemaOf(() => ({ value: { policy: 'other' } })),
  );
  const world = await createWorld({ validateClaim: schema });
  t.equal((await world.submitJson(await world.mint())).status, 200);
  t.equal((await world.claimlink.listSessions('acme', USER_ID)).sessions[0]?.selectedPolicy.number, 'P-100');
});

/** A kind of check: how it is made of a function that returns its result, and its result for a good claim. */
interface Kind {
  create: (result: () => unknown) => ValidateClaim | StandardSchema;
  accepted: unknown;
}
const FUNCTION: Kind = { create: (result) => result as ValidateClaim, accepted: [] };
const SCHEMA: Kind = { create: schemaOf, accepted: { value: 1 } };

/** Asserts that a submission is a 503 that loses nothing, and that the next one succeeds. */
async function assertLosesNothing(
  t: Test,
  { create, accepted }: Kind,
  broken: () => unknown,
  cause: RegExp,
): Promise<void> {
  let result = broken;
  const world = await createWorld({ validateClaim: create(() => result()), validateClaimSeconds: 1 });
  const link = await world.mint();
  const response = await world.submitJson(link);
  t.equal(outcomeOf(response), '503 validation_unavailable');
  t.equal(response.headers['retry-after'], '5');
  t.notMatch(response.body, cause, 'the response says nothing of the cause');
  t.equal(world.errors.length, 1);
  const [failure] = world.errors;
  t.match((failure?.error as Error | undefined)?.cause, { message: cause });
  t.equal(failure?.request?.instance, problemOf(response).instance);
  t.strictSame((await world.claimlink.listSessions('acme', USER_ID)).sessions, []);
  t.strictSame(world.events, []);
  t.equal((await storedLink(world, link))?.link.submittedAt, undefined);
  result = () => accepted;
  t.equal((await world.submitJson(link)).status, 200, 'the link stays usable');
}

t.test('validateClaim that hangs loses nothing', async (t) => {
  await assertLosesNothing(t, FUNCTION, () => new Promise(() => {}), /did not end within 1 s/);
});

t.test('validateClaim that throws or rejects loses nothing', async (t) => {
  const failure = () => {
    throw new Error('policy system down');
  };
  await assertLosesNothing(t, FUNCTION, failure, /policy system down/);
  await assertLosesNothing(t, FUNCTION, async () => failure(), /policy system down/);
});

const NONSENSE: readonly unknown[] = [
  null,
  true,
  'no',
  {},
  [null],
  ['no'],
  [{}],
  [{ ...UNKNOWN_POLICY, pointer: undefined }],
  [{ ...UNKNOWN_POLICY, pointer: 'policy/number' }],
  [{ ...UNKNOWN_POLICY, rule: '' }],
  [{ ...UNKNOWN_POLICY, rule: 'x'.repeat(101) }],
  [{ ...UNKNOWN_POLICY, detail: 7 }],
  [{ ...UNKNOWN_POLICY, detail: 'x'.repeat(501) }],
  [{ ...UNKNOWN_POLICY, messages: ['no'] }],
  [{ ...UNKNOWN_POLICY, messages: { de: '' } }],
  [{ ...UNKNOWN_POLICY, messages: null }],
  [UNKNOWN_POLICY, 7],
];
for (const result of NONSENSE) {
  t.test(`validateClaim that returns ${JSON.stringify(result).slice(0, 100)} loses nothing`, async (t) => {
    await assertLosesNothing(t, FUNCTION, () => result, /validateClaim must return/);
  });
}

const NO_RESULT: readonly unknown[] = [
  undefined,
  null,
  {},
  { issues: [] },
  { issues: 'no' },
  { issues: [{}] },
  { issues: [null] },
  { issues: [{ message: 'x', path: 'policy' }] },
];
for (const result of NO_RESULT) {
  t.test(`a schema that returns ${JSON.stringify(result)} loses nothing`, async (t) => {
    await assertLosesNothing(t, SCHEMA, () => result, /validateClaim must return/);
  });
}

t.test('the page of a form says that the claim was not sent, and returns its fields', async (t) => {
  const world = await createWorld({
    validateClaim() {
      throw new Error('down');
    },
  });
  const response = await world.submitForm(await world.mint());
  t.equal(response.status, 503);
  t.match(world.widget.unavailables, [{ code: 'validation_unavailable', status: 503 }]);
  t.equal(world.widget.unavailables[0]?.fields?.has('claim'), true);
});
