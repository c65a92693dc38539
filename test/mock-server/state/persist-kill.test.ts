// A process that is killed while it saves loses nothing that it has acknowledged, and its successor starts soon.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { createDice } from '../dice.js';

const WRITER = join(process.cwd(), 'test/mock-server/persist-writer.mjs');
const KILLS = process.env['CLAIMLINK_TESTS'] === 'long' ? 20 : 3;

/** Each has a file of its own, so that one waits for its lock while others write. */
const LANES = KILLS < 4 ? KILLS : 4;

/** The most time that a successor may take, in milliseconds. */
const RESTART_MS = 15_000;

// A successor waits for the lock of the process that was killed: 10 s each time.
t.setTimeout(300_000);

/** A line that the writer prints. */
interface Printed {
  links?: { url: string; reference?: string }[];
  url?: string;
  reference?: string;
  refused?: string;
}

function startWriter(t: Test, path: string) {
  // tap would measure the coverage of dist.
  const args = ['-u', 'NODE_V8_COVERAGE', '-u', 'NODE_OPTIONS', process.execPath, WRITER, path];
  const child = spawn('env', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next(): Promise<Printed | undefined> {
      const { done, value } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    kill: () => child.kill('SIGKILL'),
    exitCode: async () => (await closed)[0],
  };
}

t.test(`of a process that is killed ${KILLS} times nothing acknowledged is lost`, async (t) => {
  const folder = t.testdir({});
  const dice = createDice(50);
  const operations = Array.from({ length: KILLS }, () => Math.floor(dice.upTo(60)) + 1);
  const problems: string[] = [];

  async function run(lane: number): Promise<void> {
    const path = join(folder, `state-${lane}.json`);
    const acknowledged: Printed[] = [];
    for (let remaining = operations.pop(); ; remaining = operations.pop()) {
      const startedAt = performance.now();
      const writer = startWriter(t, path);
      const { links } = (await writer.next()) ?? {};
      if (links === undefined) throw new Error(`The writer of ${path} did not start.`);
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs > RESTART_MS) problems.push(`the start took ${elapsedMs} ms`);
      const urls = new Set(links.map(({ url }) => url));
      const references = new Set(links.map(({ reference }) => reference));
      for (const { url, reference } of acknowledged) {
        if (url !== undefined && !urls.has(url)) problems.push(`lost ${url}`);
        if (reference !== undefined && !references.has(reference)) problems.push(`lost ${reference}`);
      }
      // The last start only shows what is there.
      for (let count = 0; count < (remaining ?? 0); count++) acknowledged.push((await writer.next()) ?? {});
      writer.kill();
      // What it printed before it was killed is acknowledged as well.
      for (let line = await writer.next(); line !== undefined; line = await writer.next())
        acknowledged.push(line);
      await writer.exitCode();
      if (remaining === undefined) return;
    }
  }

  await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  t.strictSame(problems, []);
  const leftBehind = (await readdir(folder)).filter((name) => !/^state-\d\.json(\.lock)?$/.test(name));
  t.ok(leftBehind.length <= LANES, 'a start removes what a killed process left behind');
});

t.test('a second process is refused while the first one runs', async (t) => {
  const path = join(t.testdir({}), 'state.json');
  const first = startWriter(t, path);
  t.ok((await first.next())?.links);
  const startedAt = performance.now();
  const second = startWriter(t, path);
  t.match((await second.next())?.refused, /persistFile .* is in use by another mock/);
  t.equal(await second.exitCode(), 2);
  t.ok(performance.now() - startedAt < RESTART_MS);
  first.kill();
});
