// The contract suite passes on every mount.
import t from 'tap';
import { MOUNTS } from '../adapters/mounts.js';
import { sized } from '../size.js';
import { createTickingService, fetchFrom, rulesWith, runSuite, targetOf } from './deployment.js';

/** One mount of each kind: the others differ in prefix and parser, which test/adapters compares in every run. */
const SHORT = ['node:http', 'Fastify plugin at the root', 'fetch handler'];
const short = MOUNTS.filter(({ name }) => SHORT.includes(name));

for (const kind of sized(MOUNTS, short)) {
  t.test(`${kind.name} passes the suite`, async (t) => {
    const { claimlink, failures } = await createTickingService();
    const mount = await kind.start(claimlink);
    t.teardown(() => mount.close());
    const outcomes = await runSuite(targetOf(fetchFrom(mount)));
    t.same(rulesWith(outcomes, 'failed'), []);
    t.same(rulesWith(outcomes, 'not applicable'), []);
    t.same(failures, [], 'the service reported no error');
  });
}
