// The section on rolling deployments says of every setting of a client what older processes do.
import t from 'tap';
import { MEMBERS } from '../../lib/core/client-settings.js';
import { SETTINGS } from '../../lib/core/settings.js';
import { readDocument } from './markdown.js';

t.test('docs/postgres.md says what processes do that do not know a setting, of every setting', async (t) => {
  const [, section = ''] = readDocument('docs/postgres.md').split(
    /^## (?:Rolling deployment.*|Several processes)$/m,
  );
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell).join();
  const settings = MEMBERS.filter((name) => name !== 'clientId' && name !== 'settings');
  for (const name of [...settings, ...Object.keys(SETTINGS)]) t.match(cells, `\`${name}\``, name);
});
