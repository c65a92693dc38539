// The photos of a scenario: names of files in a file, data URLs elsewhere.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { checkScenario } from '../../../mock-server/scenario/scenario-check.js';
import { loadScenario } from '../../../mock-server/scenario/scenario-file.js';
import { openState } from '../state/set-up.js';

const JPEG = Buffer.from(`ffd8ffe1${'00'.repeat(500)}`, 'hex');
const ID = createHash('sha256').update(JPEG).digest('hex');
const DATA_URL = `data:image/jpeg;base64,${JPEG.toString('base64')}`;

const yaml = (photo: string, settings = 'form: { photos: { need: optional } }') => `
clients:
  - clientId: acme
    apiKey: clk_acme
    settings: { ${settings} }
    links:
      - { userId: ada, photos: ["${photo}"] }
      - { userId: ben, state: submitted, photos: ["${photo}"] }
`;

async function write(t: Test, text: string): Promise<string> {
  const folder = t.testdir({});
  await mkdir(join(folder, 'photos'));
  await writeFile(join(folder, 'photos/front.jpg'), JPEG);
  await writeFile(join(folder, 'notes.txt'), 'no photo');
  await writeFile(join(folder, 'claims.yaml'), text);
  return join(folder, 'claims.yaml');
}

t.test(
  'a link of a scenario file has the photos of files, and a submitted one has them in its claim',
  async (t) => {
    const { state } = await openState({
      scenario: await loadScenario(await write(t, yaml('photos/front.jpg'))),
    });
    const { methods } = state;
    const photo = { id: ID, type: 'image/jpeg', size: JPEG.length, isMissing: false };
    const links = methods.links();
    t.equal(links.length, 2);
    for (const { linkId } of links) t.strictSame(methods.photos({ link: linkId }), [photo]);
    const [session] = methods.sessions({ clientId: 'acme', userId: 'ben' });
    t.match(session?.incident?.photos, [{ id: ID, size: JPEG.length }]);
    methods.reset();
    const [link] = methods.links({ userId: 'ada' });
    t.strictSame(methods.photos({ link: link?.linkId ?? '' }), [photo], 'a reset has them again');
  },
);

for (const [name, text, problem] of [
  [
    'a file that is not there',
    yaml('back.jpg'),
    /:7:33 \/clients\/0\/links\/0\/photos\/0 back\.jpg does not exist/,
  ],
  ['a folder', yaml('photos'), /photos cannot be accessed|photos is a folder/],
  ['a file that is no photo', yaml('notes.txt'), /photos\/0 must be a JPEG, PNG, WebP or HEIC/],
  [
    'a photo of a client that takes none',
    yaml('photos/front.jpg', ''),
    /photos are for a client whose settings/,
  ],
] as const)
  t.test(`a scenario file with ${name} is rejected, with its place`, async (t) => {
    await t.rejects(loadScenario(await write(t, text)), { code: 'options_invalid', message: problem });
  });

t.test('elsewhere a scenario has data URLs, and no name of a file is read', async (t) => {
  const scenarioOf = (photo: string) => ({
    clients: [
      {
        clientId: 'acme',
        apiKey: 'clk_acme',
        settings: { form: { photos: { need: 'optional' } } },
        links: [{ userId: 'ada', photos: [photo] }],
      },
    ],
  });
  t.strictSame(checkScenario(scenarioOf(DATA_URL)), []);
  for (const photo of ['/etc/passwd', 'package.json', 'data:image/jpeg;base64,%%', 'data:,PHN2Zz4='])
    t.match(checkScenario(scenarioOf(photo)), [{ pointer: '/clients/0/links/0/photos/0' }], photo);
});
