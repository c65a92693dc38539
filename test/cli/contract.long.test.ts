// The contract suite against the built mock in a process of its own.
import t from 'tap';
import { startCli } from '../mock-server/child.js';
import { rulesWith, runSuite } from '../testing/deployment.js';

t.test('the mock passes every rule of the contract suite', async (t) => {
  const child = startCli(t, ['--port', '0', '--ready-json', '--log', 'silent']);
  const { url } = JSON.parse(await child.until(/\n/));
  const outcomes = await runSuite({ baseUrl: url, clientId: 'demo', apiKey: 'clk_test_demo' });
  t.same(rulesWith(outcomes, 'failed'), []);
  t.ok(rulesWith(outcomes, 'passed').length > 150);
  t.equal(await child.end('SIGTERM'), 0);
});
