// The starter scenario: valid, the same in YAML and JSON, and it never replaces a file.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import t from 'tap';
import { DEFAULT_STARTER, starterText, writeStarter } from '../../cli/scenario-starter.js';
import { isClaimlinkError } from '../../lib/index.js';
import { loadScenario } from '../../mock-server/scenario/scenario-file.js';

async function refusal(writing: Promise<unknown>): Promise<string> {
  try {
    await writing;
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'options_invalid')
      return String(error.problems?.[0]?.detail);
    throw error;
  }
  throw new Error('nothing was rejected');
}

t.test('the starter is a valid scenario, the same in YAML and in JSON', async (t) => {
  const folder = t.testdir({});
  const yaml = await loadScenario(await writeStarter(join(folder, 'a.yaml')));
  const yml = await loadScenario(await writeStarter(join(folder, 'b.yml')));
  const { $schema, ...json } = await loadScenario(await writeStarter(join(folder, 'c.json')));
  t.strictSame(json, yaml);
  t.strictSame(yml, yaml);
  t.match(yaml.clients, [
    {
      users: [{ sessions: [{ reference: 'S-STARTER-1' }] }, { sessions: [] }, { userId: 'user-3' }],
      links: [{ state: 'opened' }],
      clock: { frozen: true },
      faults: [{ status: 503 }],
    },
  ]);
});

t.test('the starter names the published schema', async (t) => {
  const published = 'node_modules/claimlink/fixtures/scenarios/scenario.schema.json';
  const [line = ''] = (await starterText(DEFAULT_STARTER)).split('\n');
  t.equal(line, `# yaml-language-server: $schema=./${published}`);
  t.equal(JSON.parse(await starterText('a.json')).$schema, `./${published}`);
  t.equal(JSON.parse(await starterText('mocks/worlds/a.json')).$schema, `../../${published}`);
  const inPackage = published.replace('node_modules/claimlink/', '');
  t.ok(await stat(resolve(inPackage)), 'the schema is in the package');
});

t.test('an existing file is not changed', async (t) => {
  const path = join(t.testdir({ 'mine.yaml': 'mine' }), 'mine.yaml');
  t.equal(
    await refusal(writeStarter(path)),
    `${path} exists already and was not changed; name another file or delete it`,
  );
  t.equal(await readFile(path, 'utf8'), 'mine');
});

t.test('a file that cannot be written is rejected with the reason', async (t) => {
  const path = join(t.testdir({}), 'gone', 'a.yaml');
  t.equal(await refusal(writeStarter(path)), `${path} cannot be written: its folder does not exist`);
  const other = join(dirname(dirname(path)), 'a.txt');
  t.match(await refusal(writeStarter(other)), /must be a file whose name ends in \.json, \.yaml or \.yml$/);
});
