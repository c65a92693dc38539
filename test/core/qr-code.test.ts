// QR codes of links: a reader that is not the encoder decodes them, with the colours and the margin that readers need.
import jsqr from 'jsqr';
import t from 'tap';
import { createQrCode } from '../../lib/core/qr-code.js';
import { createTestService, linkRequest } from '../adapters/service.js';

const URL = 'https://claims.example.com/verify/abc?token=def';
/** Margin in modules (ISO/IEC 18004). */
const MARGIN = 4;
/** Pixels of a module. */
const SCALE = 3;

interface Image {
  /** Side in modules. */
  size: number;
  pixels: Uint8ClampedArray;
  isDark(x: number, y: number): boolean;
}

/** Paints the SVG of a code: two paths, of which the second one has the dark modules as lines. */
function draw(svg: string): Image {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const dark = new Set<number>();
  let [x, y] = [0, 0];
  for (const [, left, top, gap, length] of svg.matchAll(/(?:M(\d+) (\d+)\.5|m(\d+) 0)h(\d+)/g)) {
    if (gap === undefined) [x, y] = [Number(left), Number(top)];
    else x += Number(gap);
    for (const end = x + Number(length); x < end; x++) dark.add(y * size + x);
  }
  const isDark = (x: number, y: number) => dark.has(y * size + x);
  const side = size * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (isDark(Math.floor(x / SCALE), Math.floor(y / SCALE)))
        pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
  return { size, pixels, isDark };
}

function read(svg: string): string | undefined {
  const { size, pixels } = draw(svg);
  return jsqr.default(pixels, size * SCALE, size * SCALE)?.data;
}

for (const format of ['jws', 'compact'] as const) {
  t.test(`a reader gets the URL of a link with a token of the format ${format}`, async (t) => {
    const { claimlink } = await createTestService({ format });
    const { url } = await claimlink.createLink('acme', linkRequest());
    const svg = await claimlink.qrCode(url);
    t.equal(read(svg), url);
    t.equal(draw(svg).size, (format === 'compact' ? 41 : 77) + 2 * MARGIN);
  });
}

t.test('the code has a margin of four modules on each side', async (t) => {
  const { size, isDark } = draw(await createQrCode(URL));
  const all = Array.from({ length: size }, (_, index) => index);
  for (const near of [0, 1, 2, 3])
    for (const edge of [near, size - 1 - near])
      t.notOk(
        all.some((index) => isDark(index, edge) || isDark(edge, index)),
        `line ${edge}`,
      );
  for (const [x, y] of [
    [MARGIN, MARGIN],
    [size - 1 - MARGIN, MARGIN],
    [MARGIN, size - 1 - MARGIN],
  ] as const)
    t.ok(isDark(x, y), 'a corner of a finder pattern');
});

t.test('the code has the colours of its options, and nothing that runs or loads', async (t) => {
  const svg = await createQrCode(URL, { color: '#14508C', backgroundColor: '#fffbe6' });
  t.match(svg, /<path fill="#fffbe6" d="M0 0h(\d+)v\1H0z"\/><path stroke="#14508C" /);
  t.match(
    svg,
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="[\d ]+" shape-rendering="crispEdges">/,
  );
  t.notMatch(svg, /style|script|href|token/);
  t.equal(read(svg), URL);
});

t.test('colours that phones may not read are rejected', async (t) => {
  for (const [options, pointer] of [
    [{ color: '#ffffff' }, '/color'],
    [{ color: '#777777' }, '/color'],
    [{ color: '#ffffff', backgroundColor: '#000000' }, '/color'],
    [{ color: '#333333', backgroundColor: '#000000' }, '/color'],
    [{ color: 'red' }, '/color'],
    [{ color: '#000"/><script>' }, '/color'],
    [{ backgroundColor: '#fff' }, '/backgroundColor'],
    [{ colour: '#000000' }, '/colour'],
  ] as const)
    await t.rejects(createQrCode(URL, options as object), {
      code: 'options_invalid',
      problems: [{ pointer }],
    });
  t.equal(read(await createQrCode(URL, { color: '#757575' })), URL, 'a contrast of 4.6');
});

t.test('only an http or https URL in ASCII becomes a code, and no error shows it', async (t) => {
  const rejected = [
    '',
    'abc',
    'javascript:alert(1)',
    'https://exämple.com/',
    'https://a:b@example.com/',
    '/verify/a?token=b',
  ];
  for (const url of [
    ...rejected,
    `https://example.com/${'a'.repeat(2100)}`,
    7,
    null,
    undefined,
  ] as string[]) {
    const error = await createQrCode(url).catch((error: unknown) => error);
    t.match(error, { code: 'request_invalid', problems: [{ parameter: 'url' }] }, String(url).slice(0, 40));
    if (typeof url === 'string' && url.length > 3) t.notOk(String(error).includes(url));
  }
});
