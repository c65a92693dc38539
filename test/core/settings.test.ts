// A setting of a client is one entry of one table: whatever lists settings lists a new one.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { readSettings, settingFlags } from '../../cli/setting-flags.js';
import { assertSettings } from '../../lib/core/client-settings.js';
import { onOff, SETTINGS, type SettingTable } from '../../lib/core/settings.js';
import { scenarioSchema, settingSchemas } from '../../mock-server/schemas/scenario.js';
import { settingRows } from '../docs/tables.js';
import { REPOSITORY } from '../repository.js';

const { withSettings }: { withSettings(source: string, settings: SettingTable, table: string): string } =
  await import(new URL('scripts/settings-interface.mjs', REPOSITORY).href);

const read = (path: string) => readFileSync(new URL(path, REPOSITORY), 'utf8');

/** A copy of the table with a made-up setting. */
const COPY = {
  ...SETTINGS,
  showMadeUp: onOff({
    effect: 'true shows [*something*](#made-up) on the form',
    needs: { storage: 'LifeStorage' },
  }),
};

t.test('the checks accept true and false for a setting of the table, and nothing else', async (t) => {
  for (const showMadeUp of [true, false, undefined]) assertSettings({ showMadeUp }, COPY);
  for (const showMadeUp of ['true', 1, null])
    t.throws(() => assertSettings({ showMadeUp }, COPY), {
      code: 'request_invalid',
      message: 'The parameter settings.showMadeUp must be true or false.',
    });
  t.throws(() => assertSettings({ showMadeUp: true }), /settings\.showMadeUp is not an option/);
});

t.test('the schema of a scenario has each setting of the table', async (t) => {
  t.same(settingSchemas(COPY)['showMadeUp'], {
    type: 'boolean',
    description: 'Shows "something" on the form',
  });
  const { settings } = scenarioSchema.properties.clients.items.properties;
  t.same(settings.properties, settingSchemas(SETTINGS));
  for (const [name, schema] of Object.entries(settings.properties)) t.ok(schema.description, name);
});

t.test('the command line has flags for each setting of the table', async (t) => {
  const flags = settingFlags(COPY);
  t.same([...new Set(flags.map(({ name }) => name))], Object.keys(COPY));
  const { flag } = flags.find(({ name }) => name === 'showMadeUp') ?? {};
  t.match(flag, {
    flags: '--show-made-up <true|false>',
    description: 'true shows "something" on the form (default: false)',
  });
  t.same(await readSettings(COPY, { showMadeUp: true, redirectAfterSeconds: '' }), {
    showMadeUp: true,
    redirectAfterSeconds: null,
  });
});

t.test('the table of docs/client-settings.md has each setting of the table', async (t) => {
  t.same(settingRows(COPY).at(-1), [
    '`showMadeUp`',
    'true shows [*something*](#made-up) on the form. Default: false',
  ]);
});

t.test('the types have each setting of the table, with its comment', async (t) => {
  const [types, table] = ['lib/core/types.ts', 'lib/core/settings.ts'].map(read) as [string, string];
  t.equal(withSettings(types, SETTINGS, table), types, 'npm run generate has written them');
  const entry = '  /** It is\n   * made up. */\n  showMadeUp: onOff({})';
  t.match(
    withSettings(types, COPY, `${table}${entry}`),
    `
  /**
   * true shows *something* on the form. It needs a storage that implements \`LifeStorage\`. Default: false.
   *
   * It is made up.
   */
  showMadeUp?: boolean;
}
`,
  );
});
