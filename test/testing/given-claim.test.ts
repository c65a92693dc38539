// The contract suite over a host whose validateClaim looks policies up: a claim that the host takes proves the contract.
import t from 'tap';
import { checkReport } from '../../cli/check-report.js';
import { runCheck } from '../../cli/check-run.js';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import type { ClientForm } from '../../lib/index.js';
import { resolveTarget } from '../../lib/testing/contract-suite/target.js';
import { claim } from '../core/world.js';
import { createTickingService, targetOf } from './deployment.js';

const linkedContacts = [{ firstName: 'Max', lastName: 'Muster', email: 'max@example.com', phone: '+44 1' }];
const KNOWN = { ...claim(), policy: { ...claim().policy, linkedContacts } };

/** Runs the check against a host that knows one policy. */
async function check(changes: Parameters<typeof targetOf>[1], userId: string, form?: ClientForm) {
  const { claimlink } = await createTickingService({
    validateClaim: ({ policy }) =>
      policy.number === KNOWN.policy.number
        ? []
        : [{ pointer: '/policy/number', rule: 'policy_unknown', detail: 'x' }],
  });
  if (form !== undefined) await claimlink.updateClient({ clientId: 'acme', settings: { form } });
  const target = resolveTarget(targetOf(createFetchHandler(claimlink), { userId, ...changes }));
  const result = await runCheck(target, () => {}, undefined);
  return { result, report: checkReport(result, { isColored: false, failuresOnly: true, details: false }) };
}

t.test('a check that has not seen a submission does not prove the contract', async (t) => {
  const { result, report } = await check({}, 'new-user');
  t.equal(result.proven, false);
  t.equal(result.summary.contract.failed, 0);
  t.match(report, 'not proven: no claim was accepted');
  t.notMatch(report, 'keeps the contract');
});

t.test('a claim that the host takes lets each rule of the contract apply', async (t) => {
  const { result, report } = await check({ claim: KNOWN }, 'new-user');
  t.equal(result.proven, true);
  const { rules } = result;
  t.same(
    rules.filter(({ outcome }) => outcome === 'failed').map(({ name, actual }) => `${name}: ${actual}`),
    [],
  );
  t.same(
    rules
      .filter(({ kind, outcome }) => kind === 'contract' && outcome !== 'passed')
      .map(({ reason }) => reason),
    [],
  );
  t.match(report, 'The deployment keeps the contract.');
});

t.test(
  'a session keeps the holder id of a given claim, and has empty texts for what the claim leaves out',
  async (t) => {
    const { policy, ...rest } = KNOWN;
    const { phone: _, ...holder } = { ...policy.holder, id: 'holder-7' };
    const contact = { firstName: 'Max', lastName: 'Muster', phone: '+44 1 234' };
    const { result } = await check(
      { claim: { ...rest, policy: { ...policy, holder, linkedContacts: [contact] } } },
      'new-user',
      { contacts: 'email_or_phone', fields: { '/policy/holder/phone': 'optional' } },
    );
    t.equal(result.proven, true);
    t.same(
      result.rules
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ name, where }) => `${name}: ${where}`),
      [],
    );
  },
);

t.test('a claim without a policy number is rejected without its value', async (t) => {
  for (const value of [{}, { policy: {} }, 'secret', null])
    t.throws(() => resolveTarget(targetOf(fetch, { claim: value as never })), {
      code: 'options_invalid',
      problems: [{ pointer: '/claim' }],
    });
});
