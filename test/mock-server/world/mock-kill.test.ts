// The built mock with --persist, killed while it works: what it has said yes to is there.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import t from 'tap';
import { startMockServer } from '../../../mock-server/index.js';
import { sized } from '../../size.js';
import { missingAt, nothingYet, workUntilGone } from '../acknowledged.js';
import { createDice } from '../dice.js';
import { startKept } from '../kept-mock.js';

const KILLS = sized(10, 3);

/** Each has a file of its own, so that one starts while another works. */
const LANES = 2;

t.test(`killed ${KILLS} times at random moments of work, it has everything it acknowledged`, async (t) => {
  const folder = t.testdir({});
  const dice = createDice(10);
  const delays = Array.from({ length: KILLS }, () => dice.upTo(1000) / 10);

  async function run(lane: number): Promise<void> {
    const path = join(folder, `world-${lane}.json`);
    const acknowledged = nothingYet();
    let port = '0';
    for (let delayMs = delays.pop(); delayMs !== undefined; delayMs = delays.pop()) {
      // That it starts says that the file is whole. What is lost once stays lost: it is looked for in the end.
      const running = await startKept(t, path, port);
      port = running.port;
      const { size } = acknowledged.claims;
      const workers = ['user-1', 'user-2', 'user-3'].map((userId) =>
        workUntilGone(running.url, userId, acknowledged),
      );
      const gone = Promise.all(workers);
      while (acknowledged.claims.size === size) await Promise.race([wait(1), gone]);
      await wait(delayMs);
      t.equal(await running.child.end('SIGKILL'), null);
      await gone;
    }
    await using mock = await startMockServer({ port: Number(port), persistFile: path });
    t.same(await missingAt(mock.url, acknowledged), []);
    t.comment(`${acknowledged.links.size} links, ${acknowledged.claims.size} claims`);
  }

  await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  t.same((await readdir(folder)).sort(), ['world-0.json', 'world-1.json'], 'no leftovers');
});
