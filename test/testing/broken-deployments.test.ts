// The contract suite is not vacuous: each kind of broken deployment is caught by the rule that it breaks.
import { AssertionError } from 'node:assert/strict';
import t from 'tap';
import { contractSuite } from '../../lib/testing/index.js';
import { sized } from '../size.js';
import { BROKEN_DEPLOYMENTS } from './broken-deployments.js';
import { createHandler, type Handler, runSuite, targetOf, those } from './deployment.js';

/** A short run takes every eighth deployment, always the same ones. */
const STEP = sized(1, 8);
const deployments = Object.entries(BROKEN_DEPLOYMENTS).filter((_, index) => index % STEP === 0);

for (const [what, { wrap = (good: Handler) => good, service, caughtBy }] of deployments) {
  t.test(`a deployment that ${what} is caught by the rule about it`, async (t) => {
    const create = async () => targetOf(wrap(await createHandler(service)));
    const rules = contractSuite(await create()).filter(({ name }) => caughtBy.test(name));
    t.ok(rules.length > 0, 'there is such a rule');
    for (const { name, run } of rules) {
      const error: unknown = await run().then(
        () => undefined,
        (reason) => reason,
      );
      // Which ones fail instead is what one wants to know then.
      const failed = error instanceof AssertionError ? [] : those(await runSuite(await create()), 'failed');
      t.ok(error instanceof AssertionError, name, { error, failed });
      t.match(String(error), /: saw .+; the contract says /);
    }
  });
}
