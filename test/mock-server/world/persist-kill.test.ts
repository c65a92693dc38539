// A process that saves again and again is killed at any moment of it: the file is always whole, and up to date.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createPersistFile } from '../../../mock-server/world/persist-file.js';
import { writeWorldFile } from '../../../mock-server/world/persist-format.js';
import { REPOSITORY } from '../../repository.js';
import { IS_LONG, sized } from '../../size.js';
import { createDice } from '../dice.js';

const WRITER = fileURLToPath(new URL('test/mock-server/kept-file-writer.mjs', REPOSITORY));
const KILLS = sized(50, 3);

/** Each has a file of its own, so that one starts while others write. */
const LANES = 4;

/** A world with its number and a text of some length in it. */
const TEMPLATE = writeWorldFile({
  seed: '<number>',
  refDate: new Date('2026-01-01T00:00:00.000Z'),
  linkSecret: new Uint8Array(32),
  snapshot: {
    clock: { offsetMs: 0 },
    clients: [
      {
        client: { clientId: 'demo', apiKey: 'key', name: '<filler>' },
        isConfigured: true,
        storage: {},
        namedUsers: [],
        clock: { offsetMs: 0 },
        links: [],
      },
    ],
  },
});

/** Lets a process save from a number on, and kills it so long after its first save. Gives the last acknowledged one. */
async function saveUntilKilled(paths: string[], first: number, delayMs: number): Promise<number> {
  const args = [
    '-u',
    'NODE_V8_COVERAGE',
    '-u',
    'NODE_OPTIONS',
    process.execPath,
    WRITER,
    ...paths,
    String(first),
  ];
  const child = spawn('env', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await Promise.race([once(child.stdout, 'data'), closed]);
  await wait(delayMs);
  child.kill('SIGKILL');
  await closed;
  const lines = printed.split('\n');
  return Number(lines.at(-2) ?? Number.NaN);
}

t.test(`of a process that is killed ${KILLS} times no save is lost, and none is halved`, async (t) => {
  const folder = t.testdir({});
  const template = join(folder, 'template');
  await writeFile(template, TEMPLATE);
  const dice = createDice(50);
  const rounds = Array.from({ length: KILLS }, () => dice.upTo(400) / 10);
  let unfinished = 0;
  const problems: string[] = [];

  async function run(lane: number): Promise<void> {
    const name = `world-${lane}.json`;
    const path = join(folder, name);
    let next = 0;
    for (let delayMs = rounds.pop(); delayMs !== undefined; delayMs = rounds.pop()) {
      const acknowledged = await saveUntilKilled([path, template], next, delayMs);
      const left = (await readdir(folder)).filter(
        (each) => each.startsWith(`${name}.`) && each.endsWith('.tmp'),
      );
      unfinished += left.length;
      const file = createPersistFile(path);
      const world = await file.load();
      await file.close();
      const found = Number(world?.seed);
      const filler = world?.snapshot.clients[0]?.client.name?.length;
      if (!(found >= acknowledged)) problems.push(`${found} is there, ${acknowledged} was acknowledged`);
      if (filler !== (found % 7) * 40_000) problems.push(`${found} has ${filler} characters`);
      next = found + 1;
    }
  }

  await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  t.strictSame(problems, []);
  t.comment(`${unfinished} of ${KILLS} kills came in the middle of a write`);
  // Few kills may all miss the moments of writing.
  if (IS_LONG) t.ok(unfinished > 0, 'some kills came in the middle of a write');
  const left = (await readdir(folder)).filter((name) => !/^(world-\d\.json|template)$/.test(name));
  t.strictSame(left, [], 'what they left behind is gone');
});
