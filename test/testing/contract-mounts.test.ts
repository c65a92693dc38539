// The contract suite passes on every mount.
import t from 'tap';
import { MOUNTS } from '../adapters/mounts.js';
import { createTickingService, fetchFrom, rulesWith, runSuite, targetOf } from './deployment.js';

for (const kind of MOUNTS) {
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
