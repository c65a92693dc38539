// The starter scenario: valid, the same in YAML and JSON, and never in the place of another file.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import t from 'tap';
import { isClaimlinkError } from '../../../lib/index.js';
import { loadScenario } from '../../../mock-server/scenario/scenario-file.js';
import {
  DEFAULT_STARTER,
  starterText,
  writeStarter,
} from '../../../mock-server/scenario/scenario-starter.js';

async function refusal(writing: Promise<unknown>): Promise<string> {
  try {
    await writing;
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'options_invalid')
      return String(error.details?.[0]?.detail);
    throw error;
  }
  throw new Error('nothing is refused');
}

t.test('the starter is a scenario without a problem, the same one in YAML and in JSON', async (t) => {
  const folder = t.testdir({});
  const yaml = await loadScenario(await writeStarter(join(folder, 'a.yaml')));
  const yml = await loadScenario(await writeStarter(join(folder, 'b.yml')));
  const { $schema, ...json } = await loadScenario(await writeStarter(join(folder, 'c.json')));
  t.strictSame(json, yaml);
  t.strictSame(yml, yaml);
  t.ok(yaml.clients[0]?.users[0]?.sessions[0], 'it shows a session');
  t.ok(
    yaml.clients[0]?.users.some(({ sessions }) => sessions.length === 0),
    'and a user without any',
  );
});

t.test('editors find the published schema in it', async (t) => {
  const published = 'node_modules/claimlink/fixtures/scenarios/scenario.schema.json';
  const [line = ''] = (starterText(DEFAULT_STARTER) ?? '').split('\n');
  t.equal(line, `# yaml-language-server: $schema=./${published}`);
  t.equal(JSON.parse(starterText('a.json') ?? '').$schema, `./${published}`);
  t.equal(JSON.parse(starterText('mocks/worlds/a.json') ?? '').$schema, `../../${published}`);
  const inPackage = published.replace('node_modules/claimlink/', '');
  t.ok(await stat(resolve(inPackage)), 'it is in the package');
});

t.test('every member that a commented line shows is one that the schema knows', async (t) => {
  const path = join(t.testdir({}), 'a.yaml');
  const text = (starterText(path) ?? '').replace(
    /^( *)# ((?:incident:| {2}date:| {2}description:|phone:).*)/gm,
    '$1$2',
  );
  await writeFile(path, text);
  const session = (await loadScenario(path)).clients[0]?.users[0]?.sessions[0];
  t.strictSame(session?.incident, { date: '2026-01-14', description: 'A stone hit the windscreen.' });
  t.equal(session?.selectedPolicy.linkedContacts[0]?.phone, '+49 30 23125 418');
});

t.test('a file that is there stays as it is', async (t) => {
  const path = join(t.testdir({ 'mine.yaml': 'mine' }), 'mine.yaml');
  t.equal(
    await refusal(writeStarter(path)),
    `${path} is there already, and stays as it is; name another file, or delete it`,
  );
  t.equal(await readFile(path, 'utf8'), 'mine');
});

t.test('a file that cannot be written is refused with the reason', async (t) => {
  const path = join(t.testdir({}), 'gone', 'a.yaml');
  t.equal(await refusal(writeStarter(path)), `${path} cannot be written: its folder is not there`);
  const other = join(dirname(dirname(path)), 'a.txt');
  t.match(await refusal(writeStarter(other)), /must be a file whose name ends in \.json, \.yaml or \.yml$/);
});
