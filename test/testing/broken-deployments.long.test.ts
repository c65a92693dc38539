// The contract suite detects each kind of broken deployment with the rule about its defect.
import { AssertionError } from 'node:assert/strict';
import t from 'tap';
import { contractSuite } from '../../lib/testing/index.js';
import { sized } from '../size.js';
import { BROKEN_DEPLOYMENTS } from './broken-deployments.js';
import { createHandler, rulesWith, runSuite, targetOf } from './deployment.js';

/** A short run takes every eighth deployment, always the same ones. */
const STEP = sized(1, 8);
const deployments = Object.entries(BROKEN_DEPLOYMENTS).filter((_, index) => index % STEP === 0);

for (const [defect, [change, detectedBy]] of deployments) {
  t.test(`a deployment that ${defect} fails the rule about it`, async (t) => {
    const create = async () =>
      targetOf(typeof change === 'function' ? change(await createHandler()) : await createHandler(change));
    const rules = contractSuite(await create()).filter(({ name }) => detectedBy.test(name));
    t.ok(rules.length > 0, 'a rule matches');
    for (const { name, run } of rules) {
      const error: unknown = await run().then(
        () => undefined,
        (reason) => reason,
      );
      // Shows which rules fail instead.
      const failed =
        error instanceof AssertionError ? [] : rulesWith(await runSuite(await create()), 'failed');
      t.ok(error instanceof AssertionError, name, { error, failed });
      t.match(String(error), /: saw .+; expected .+\. [A-Z].+\.$/);
    }
  });
}
