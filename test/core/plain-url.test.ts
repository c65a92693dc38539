// URLs that look plain are not parsed: what is said of them is what the parser of the URL standard would say.
import t from 'tap';
import { callbackProblem, cspSource, isWebUrl } from '../../lib/core/callback-url.js';
import { parseUrl } from '../../lib/core/url.js';
import { randomAt } from '../../mock-server/seed/random.js';

const SCHEMES = ['https://', 'https://', 'https://', 'http://', 'HTTPS://', 'https:/', 'https:', '//'];
const USERS = ['', '', '', '', '', 'user@', 'user:pw@', '@', ':@'];
const LABELS = [
  'a',
  'app',
  'example',
  'a-b',
  '-a',
  'a-',
  'ab--c',
  'xn--',
  'xn--a',
  'xn--bcher-kva',
  'x'.repeat(70),
  '1',
  '01',
  '0x1',
  '127',
  '256',
  '',
  'A',
  'ü',
  '_',
  '%61',
  'a{b',
  '*',
];
const LAST_LABELS = ['com', 'com', 'com', 'example', 'localhost', 'xn--p1ai', '1', '0x1f', 'c0m', 'COM', ''];
const PORTS = ['', '', '', '', ':', ':443', ':8443', ':99999', ':x'];
const RESTS = [
  '',
  '/',
  '/done?a=b#c',
  '?q=@',
  '#@b',
  '/a@b:c',
  '/%zz',
  '/a"b',
  '/ü',
  '/a b',
  '/a\\b',
  '/{X}',
];

t.test('5,000 URLs put together at random are judged as their parsed form is', async (t) => {
  let count = 0;
  const random = () => randomAt('plain URLs', count++);
  let allowed = 0;
  for (let round = 0; round < 5000; round++) {
    const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
    const labels = Array.from({ length: Math.floor(random() * 3) }, () => `${pick(LABELS)}.`).join('');
    const url = pick(SCHEMES) + pick(USERS) + labels + pick(LAST_LABELS) + pick(PORTS) + pick(RESTS);
    const parsed = parseUrl(url);
    const isSafe = !/[\0- \x7f\\]/.test(url);
    const isFull = /^https?:\/\//i.test(url);
    const hasUser = parsed !== undefined && (parsed.username !== '' || parsed.password !== '');

    const isWeb = parsed !== undefined && isSafe && isFull && !hasUser;
    if (isWebUrl(url) !== isWeb) t.fail(`as a web link: ${url}`);

    const isHttps = isWeb && parsed.protocol === 'https:' && !/[{}]/.test(parsed.host);
    const isAllowed = (callbackOrigins: string[] | undefined) =>
      callbackProblem(url, { callbackOrigins, allowLoopbackCallbacks: false }) === undefined;
    if (isAllowed(undefined) !== isHttps) t.fail(`as a callback: ${url}`);
    if (isHttps && !isAllowed([parsed.origin])) t.fail(`as a callback to a listed origin: ${url}`);
    if (isAllowed(['https://other.example.com'])) t.fail(`as a callback to another origin: ${url}`);

    const isSource = parsed !== undefined && /^[a-z0-9.-]+$/.test(parsed.hostname);
    const source = isSource ? parsed.origin : (parsed?.protocol ?? '');
    if (cspSource(url) !== source) t.fail(`as a source: ${url}`);
    if (isHttps && isSource) allowed++;
  }
  t.ok(allowed > 200, `${allowed} of them are allowed`);
});
