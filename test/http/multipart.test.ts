// Reading a form in parts: its texts, its files one after another, and each limit.
import t from 'tap';
import { ClaimlinkError } from '../../lib/core/errors.js';
import { readMultipart } from '../../lib/http/multipart.js';
import { sized } from '../size.js';
import { END, field, file, formInParts, jpeg, PARTS_TYPE, part } from './form-parts.js';

interface Reading {
  type?: string;
  headers?: Record<string, string>;
  /** Size of the chunks of the body. */
  step?: number;
  limits?: { maxTextBytes?: number; maxBytes?: number; seconds?: number };
  /** What the reader of a file does with a chunk. */
  onChunk?: (chunk: Uint8Array) => Promise<void> | void;
  /** Bytes after which the reader of a file stops. */
  stopsAfter?: number;
}

async function* inSteps(bytes: Uint8Array, step: number) {
  for (let start = 0; start < bytes.length; start += step) yield bytes.subarray(start, start + step);
}

/** Reads a form, and returns its fields and its files. */
async function read(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  { type = PARTS_TYPE, headers, step = 65_536, limits, onChunk, stopsAfter = Infinity }: Reading = {},
) {
  const files: [field: string | undefined, name: string, size: number, outcome: string][] = [];
  let open = 0;
  const request = { method: 'POST', url: '/', headers: { 'content-type': type, ...headers } };
  const fields = await readMultipart(
    request,
    body instanceof Uint8Array ? inSteps(body, step) : body,
    { maxTextBytes: 65_536, maxBytes: 50_000_000, seconds: 60, ...limits },
    async ({ field, name, body }) => {
      if (++open > 1) throw new Error('one file at a time');
      let size = 0;
      let outcome = 'whole';
      try {
        for await (const chunk of body) {
          size += chunk.length;
          await onChunk?.(chunk);
          if (size >= stopsAfter) break;
        }
      } catch (error) {
        outcome = String((error as ClaimlinkError).code);
        throw error;
      } finally {
        open--;
        files.push([field, name, size, outcome]);
      }
    },
  );
  return { fields: [...fields], files };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'read',
    (error: unknown) => (error instanceof ClaimlinkError ? error.code : String(error)),
  );

const FIELDS = [
  ['/policy/number', 'P-77'],
  ['/incident/description', 'A bump.\r\n--- and “more” 😀'],
] as const;
const LARGE = jpeg(300_000);

for (const step of [1, 2, 7, 100, 16_384, 65_536, 10_000_000]) {
  t.test(`a form in chunks of ${step} bytes has its texts and files`, async (t) => {
    const size = step < 100 ? 3000 : 300_000;
    const body = formInParts(FIELDS, [
      ['a.jpg', jpeg(size)],
      ['b.jpg', jpeg(5)],
    ]);
    t.same(await read(body, { step }), {
      fields: FIELDS,
      files: [
        ['photos', 'a.jpg', size, 'whole'],
        ['photos', 'b.jpg', 5, 'whole'],
      ],
    });
  });
}

t.test('many small files wait for each other, and the body waits for them', async (t) => {
  let ahead = 0;
  let most = 0;
  async function* body() {
    for (let count = 0; count < 500; count++) {
      ahead += 1;
      most = Math.max(most, ahead);
      yield file([`${count}.jpg`, jpeg(1000)]);
    }
    yield END;
  }
  const { files } = await read(body(), {
    onChunk: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      ahead -= 1;
    },
  });
  t.equal(files.length, 500);
  t.ok(most <= 4, `${most} parts are ahead`);
});

t.test('the rest of a file that is not read is dropped', async (t) => {
  const body = formInParts(FIELDS, [
    ['a.jpg', LARGE],
    ['b.jpg', LARGE],
  ]);
  const { fields, files } = await read(body, { stopsAfter: 10 });
  t.same(fields, FIELDS);
  t.same(
    files.map(([, name, , outcome]) => [name, outcome]),
    [
      ['a.jpg', 'whole'],
      ['b.jpg', 'whole'],
    ],
  );
});

const NAMES: Record<string, [sent: string, name: string]> = {
  'in Japanese': ['写真.jpg', '写真.jpg'],
  'with a folder': ['../../etc/passwd', 'passwd'],
  'with a folder of Windows': ['C:\\\\fakepath\\\\x.jpg', 'x.jpg'],
  'of dots': ['..', ''],
  'with CR LF, as browsers escape it': ['a%0D%0Ab.jpg', 'a%0D%0Ab.jpg'],
  'that turns its direction': ['\u202egpj.exe', '\u202egpj.exe'],
  empty: ['', ''],
};
for (const [what, [sent, name]] of Object.entries(NAMES)) {
  t.test(`a file with a name ${what} is read`, async (t) => {
    t.same((await read(formInParts([], [[sent, LARGE]]))).files, [['photos', name, LARGE.length, 'whole']]);
  });
}

t.test('a name of 10,000 characters is cut, and its file is a file', async (t) => {
  const { files } = await read(formInParts(FIELDS, [['x'.repeat(10_000), jpeg(10)]]));
  t.equal(files.length, 1);
  t.ok((files[0]?.[1].length ?? 0) < 8192);
});

const ODD: Record<string, [body: Buffer[], fields: number, files: number]> = {
  'a name with a line end': [
    [part('Content-Disposition: form-data; name="photos"; filename="a\nb"', 'x'), END],
    0,
    0,
  ],
  'a part without a name': [[part('Content-Disposition: form-data', 'x'), field('a', 'b'), END], 1, 0],
  'a head that begins with a space': [
    [part(' Content-Disposition: form-data; name="a"', 'x'), field('a', 'b'), END],
    1,
    0,
  ],
  'long heads without a colon': [
    [...Array.from({ length: 3 }, () => part('x '.repeat(6000), 'x')), field('a', 'b'), END],
    1,
    0,
  ],
  'quotes in a name': [
    [part('Content-Disposition: form-data; name="a"b"c"', 'x'), field('a', 'b'), END],
    2,
    0,
  ],
  'a part without a head': [[part('X: y', 'x'), field('a', 'b'), END], 1, 0],
  'a field twice': [[field('a', '1'), field('a', '2'), END], 2, 0],
  'a head of 5,000 lines': [
    [part(`${'X: y\r\n'.repeat(5000)}Content-Disposition: form-data; name="a"`, 'x'), field('a', 'b'), END],
    1,
    0,
  ],
  'text after its end': [[field('a', 'b'), END, Buffer.alloc(100_000, 'x')], 1, 0],
  'text before its first part': [[Buffer.from('preamble\r\n'), field('a', 'b'), END], 1, 0],
  'an empty file': [[file(['', Buffer.alloc(0)]), END], 0, 1],
  'no part': [[END], 0, 0],
};
for (const [what, [body, fields, files]] of Object.entries(ODD)) {
  const size = Buffer.concat(body).length;
  for (const step of [size < 50_000 ? 1 : 100, 65_536])
    t.test(`a form with ${what} is read, in chunks of ${step}`, async (t) => {
      const form = await read(Buffer.concat(body), { step });
      t.same([form.fields.length, form.files.length], [fields, files]);
    });
}

const FORM = formInParts(FIELDS, [['a.jpg', LARGE]]);
const REJECTED: Record<string, [code: string, body: Uint8Array, reading?: Reading]> = {
  'without a boundary': ['content_type_unsupported', FORM, { type: 'multipart/form-data' }],
  'with a long boundary': [
    'content_type_unsupported',
    FORM,
    { type: `multipart/form-data; boundary=${'x'.repeat(300)}` },
  ],
  'with another boundary': ['request_invalid', FORM, { type: 'multipart/form-data; boundary=other' }],
  'that is compressed': ['content_type_unsupported', FORM, { headers: { 'content-encoding': 'gzip' } }],
  'that is empty': ['request_invalid', Buffer.alloc(0)],
  'cut in a text': ['request_invalid', field('a', 'x'.repeat(100)).subarray(0, -50)],
  'cut in a file': ['request_invalid', FORM.subarray(0, -1000)],
  'cut in a head': ['request_invalid', FORM.subarray(0, 30)],
  'cut before its end': ['request_invalid', FORM.subarray(0, -END.length)],
  'with 1,001 parts': [
    'request_invalid',
    formInParts(
      Array.from({ length: 1001 }, () => ['a', 'b'] as const),
      [],
    ),
  ],
  'with a text over the limit': [
    'body_too_large',
    formInParts([['a', 'x'.repeat(2000)]], []),
    { limits: { maxTextBytes: 1024 } },
  ],
  'with texts that are over the limit together': [
    'body_too_large',
    formInParts(
      Array.from({ length: 300 }, () => ['a', 'b'.repeat(10)] as const),
      [],
    ),
    { limits: { maxTextBytes: 1024 } },
  ],
  'over the limit': ['body_too_large', FORM, { limits: { maxBytes: 200_000 } }],
  'that says it is over the limit': [
    'body_too_large',
    Buffer.alloc(0),
    { headers: { 'content-length': '200001' }, limits: { maxBytes: 200_000 } },
  ],
};
for (const [what, [code, body, reading]] of Object.entries(REJECTED)) {
  for (const step of [1000, 65_536])
    t.test(`a form ${what} is rejected, in chunks of ${step}`, async (t) => {
      t.equal(await codeOf(read(body, { step, ...reading })), code);
    });
}

t.test('a file of a form that is cut is no whole file', async (t) => {
  const outcomes: unknown[] = [];
  const request = { method: 'POST', url: '/', headers: { 'content-type': PARTS_TYPE } };
  const limits = { maxTextBytes: 1000, maxBytes: 1_000_000, seconds: 60 };
  for (const body of [file(['a.jpg', LARGE]).subarray(0, -1000), file(['a.jpg', jpeg(50)]).subarray(0, -10)])
    await t.rejects(
      readMultipart(request, inSteps(body, 65_536), limits, async ({ body }) => {
        for await (const _ of body);
        outcomes.push('whole');
      }),
    );
  t.same(outcomes, []);
});

t.test('an error of the body ends a file that is being read', async (t) => {
  async function* body() {
    yield file(['a.jpg', LARGE]).subarray(0, 1000);
    throw new ClaimlinkError('request_aborted');
  }
  t.equal(await codeOf(read(body())), 'request_aborted');
});

t.test('an error of a reader ends the form', async (t) => {
  const failing = { onChunk: () => Promise.reject(new ClaimlinkError('storage_unavailable')) };
  t.equal(await codeOf(read(FORM, failing)), 'storage_unavailable');
});

t.test('a body that does not end is a timeout, also in a file', async (t) => {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield file(['a.jpg', LARGE]).subarray(0, 1000);
    await new Promise(() => {});
  }
  t.equal(await codeOf(read(body(), { limits: { seconds: 0.05 } })), 'request_timeout');
});

t.test('forms with random faults end, with a result or an error of claimlink', async (t) => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const codes = new Map<string, number>();
  const body = formInParts(FIELDS, [
    ['a.jpg', jpeg(200)],
    ['b.jpg', jpeg(30)],
  ]);
  const places = [...body.keys()].filter((index) => [13, 10, 45, 34, 58].includes(body[index] ?? 0));
  for (let count = 0; count < sized(1000, 300, 3000); count++) {
    let faulty = Buffer.from(body);
    for (let fault = random(4); fault >= 0; fault--) {
      const at = places[random(places.length)] ?? 0;
      const kind = random(3);
      if (kind === 0) faulty[at] = [13, 10, 45, 0, 255][random(5)] ?? 0;
      else if (kind === 1)
        faulty = Buffer.concat([faulty.subarray(0, at), faulty.subarray(at + 1 + random(40))]);
      else
        faulty = Buffer.concat([
          faulty.subarray(0, at),
          body.subarray(random(body.length), at),
          faulty.subarray(at),
        ]);
    }
    const code = await codeOf(read(faulty, { step: 1 + random(200), limits: { seconds: 5 } }));
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const expected = ['read', 'request_invalid', 'body_too_large'];
  t.same(
    [...codes.keys()].filter((code) => !expected.includes(code)),
    [],
    JSON.stringify([...codes]),
  );
});

t.test('a file of 10 MiB is never ahead of its reader by 1 MiB', async (t) => {
  const bytes = formInParts([], [['a.jpg', jpeg(10 * 1_048_576)]]);
  let sent = 0;
  let taken = 0;
  let most = 0;
  async function* body() {
    for await (const chunk of inSteps(bytes, 65_536)) {
      sent += chunk.length;
      most = Math.max(most, sent - taken);
      yield chunk;
    }
  }
  await read(body(), {
    onChunk: async (chunk) => {
      await new Promise((resolve) => setImmediate(resolve));
      taken += chunk.length;
    },
  });
  t.ok(most < 262_144, `${most} bytes`);
});

t.test('the names of files count as text', async (t) => {
  const files = Array.from({ length: 100 }, () => [`${'a'.repeat(4000)}.jpg`, jpeg(5)] as const);
  t.equal(await codeOf(read(formInParts([], files))), 'body_too_large');
});
