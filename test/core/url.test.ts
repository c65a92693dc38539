// URL parsing.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { isLoopback, parseUrl, portProblem } from '../../lib/core/url.js';

t.test('parseUrl returns the URL, or undefined for text that is not an absolute URL', async (t) => {
  t.equal(parseUrl('https://bücher.example/a')?.href, 'https://xn--bcher-kva.example/a');
  t.equal(parseUrl('/a'), undefined);
  t.equal(parseUrl(''), undefined);
});

t.test('portProblem rejects the ports that fetch blocks, and no other', async (t) => {
  // The dispatcher of fetch in Node: what reaches it was not blocked.
  const dispatcher = {
    dispatch(
      _options: unknown,
      handler: { onError?(error: Error): void; onResponseError?(_: null, error: Error): void },
    ) {
      const error = new Error('not blocked');
      if (handler.onError) handler.onError(error);
      else handler.onResponseError?.(null, error);
      return true;
    },
  };
  for (let port = 1; port < 11_000; port++) {
    const request = fetch(`http://127.0.0.1:${port}/`, { dispatcher } as unknown as RequestInit);
    const { cause } = (await request.catch((error: Error) => error as { cause?: unknown })) as {
      cause: Error;
    };
    if ((cause.message === 'bad port') !== (portProblem(port) !== undefined))
      t.fail(`${port}: ${cause.message}`);
  }
  t.equal(portProblem('6000'), 'must not have port 6000: browsers and fetch block this port');
  t.equal(portProblem(''), undefined, 'the default port of a URL');
});

t.test(
  'isLoopback takes each form of a name and an address, and no name that only begins with one',
  async (t) => {
    for (const host of [
      'localhost',
      'LOCALHOST.',
      'app.localhost',
      'app.localhost.',
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '[::1]',
    ])
      t.ok(isLoopback(host), host);
    for (const host of [
      'localhost..',
      '.localhost',
      'localhost.example',
      'xlocalhost',
      '127.0.0.1.example',
      '::2',
      '0.0.0.0',
      '',
    ])
      t.notOk(isLoopback(host), host);
  },
);

t.test('no source calls URL.canParse, which rejects non-ASCII URLs in Node 20 and 22', async (t) => {
  const calls = ['lib', 'mock-server'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
      .filter((path) => readFileSync(`${folder}/${path}`, 'utf8').includes('URL.canParse(')),
  );
  t.strictSame(calls, []);
});
