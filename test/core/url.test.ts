// URL parsing.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { parseUrl } from '../../lib/core/url.js';

t.test('parseUrl returns the URL, or undefined for text that is not an absolute URL', async (t) => {
  t.equal(parseUrl('https://bücher.example/a')?.href, 'https://xn--bcher-kva.example/a');
  t.equal(parseUrl('/a'), undefined);
  t.equal(parseUrl(''), undefined);
});

t.test('no source calls URL.canParse, which rejects non-ASCII URLs in Node 20 and 22', async (t) => {
  const calls = ['lib', 'mock-server'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
      .filter((path) => readFileSync(`${folder}/${path}`, 'utf8').includes('URL.canParse(')),
  );
  t.strictSame(calls, []);
});
