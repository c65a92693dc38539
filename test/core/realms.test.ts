// Values of another realm: in Jest and jsdom a test has classes of its own, and Node keeps its own.
import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { retryOf, withRetry } from '../../lib/core/delivery-error.js';
import { failureReason } from '../../lib/core/failure-reason.js';
import { signalOption } from '../../lib/core/fetch-signal.js';
import { isBytes, isDate, isError, isUrl } from '../../lib/core/plain-data.js';
import { isStorableDate } from '../../lib/core/validators.js';
import { isClaimlinkError } from '../../lib/index.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { createExecutor } from '../../lib/storage/sqlite/execute.js';
import { isNotApplicable } from '../../lib/testing/index.js';
import { postWebhook } from '../../lib/webhooks/post.js';
import { toControlError } from '../../mock-server/control/errors.js';
import { parseInstant } from '../../mock-server/schemas/moment.js';
import { REPOSITORY } from '../repository.js';
import { createWorld } from './world.js';

const DATE = runInNewContext("new Date('2026-03-02T12:00:00.000Z')");
const ERROR = "Object.assign(new Error('no'), { name: 'NAME' }, MEMBERS)";

function errorOf(name: string, members = {}): Error {
  return runInNewContext(ERROR.replace('NAME', name).replace('MEMBERS', JSON.stringify(members)));
}

/** The classes of a host are not in a realm of `node:vm`, but their objects have this tag. */
function ofHost(name: string): object {
  return runInNewContext(`({ get [Symbol.toStringTag]() { return '${name}'; } })`);
}

t.test('errors, dates, bytes and URLs of another realm are known', async (t) => {
  t.ok(isError(errorOf('TypeError')));
  t.ok(isError(ofHost('DOMException')));
  t.ok(isDate(DATE));
  t.ok(isBytes(runInNewContext('new Uint8Array(1)')));
  t.ok(isUrl(ofHost('URL')));
  for (const check of [isError, isDate, isBytes, isUrl])
    for (const value of [null, undefined, 'Date', {}, [], { message: '', name: 'Error' }])
      t.notOk(check(value), `${check.name}(${JSON.stringify(value)})`);
});

t.test('an error of another realm keeps what it says', async (t) => {
  t.match(failureReason(errorOf('Error', { code: 'ECONNREFUSED' })), 'ECONNREFUSED');
  t.ok(isClaimlinkError(errorOf('ClaimlinkError', { code: 'internal', statusCode: 500 })));
  t.ok(isNotApplicable(errorOf('NotApplicableError')));
  t.equal(toControlError(errorOf('FastifyError', { statusCode: 413 }))?.code, 'body_too_large');
});

t.test('a date of another realm is a date', async (t) => {
  t.ok(isStorableDate(DATE));
  t.notOk(isStorableDate(runInNewContext('new Date(NaN)')));
  t.equal(retryOf(withRetry(new Error('later'), DATE)), DATE);
  t.equal(parseInstant(DATE)?.getTime(), DATE.getTime());
});

t.test('a URL of another realm is the target of a request', async (t) => {
  const url = Object.assign(ofHost('URL'), { toString: () => '/acme/link' });
  const { claimlink } = await createWorld();
  t.equal(claimlink.owns(url as never), true);
});

t.test('SQL storages bind a date of another realm, and know its errors', async (t) => {
  const bound: unknown[] = [];
  const statement = (...params: unknown[]) => {
    bound.push(...params);
    return [{ one: 1 }];
  };
  const prepare = () => ({ all: statement, run: () => ({ changes: 0 }) });
  createExecutor({ exec() {}, prepare } as never).all('SELECT $1 AS one', [DATE]);
  t.same(bound, [DATE.getTime()]);

  const away = errorOf('AggregateError', { errors: [{ code: 'ECONNREFUSED' }] });
  const queries: unknown[][] = [];
  const query = async (_: string, params: unknown[]) => {
    queries.push(params);
    throw away;
  };
  const storage = createPostgresStorage({ query });
  await t.rejects(async () => storage.revokeApiKey('key', DATE), {
    code: 'storage_unavailable',
  });
  t.ok(queries[0]?.includes(DATE.toISOString()), JSON.stringify(queries));
});

t.test(
  'where fetch rejects signals of another realm, a webhook is sent and given up without it',
  async (t) => {
    const { fetch: originalFetch, Request: OriginalRequest } = globalThis;
    t.teardown(() => Object.assign(globalThis, { fetch: originalFetch, Request: OriginalRequest }));
    const assertNoSignal = (init: RequestInit = {}) => {
      if (init.signal) throw new TypeError('Expected signal to be an instance of AbortSignal');
    };
    class StrictRequest extends OriginalRequest {
      constructor(input: string, init?: RequestInit) {
        assertNoSignal(init);
        super(input, init);
      }
    }
    const requests: unknown[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      assertNoSignal(init);
      requests.push(url);
      return new Promise(() => {});
    };
    Object.assign(globalThis, { fetch, Request: StrictRequest });
    const controller = new AbortController();
    t.same(signalOption(controller.signal), {});
    const sent = postWebhook(
      'http://127.0.0.1:1/hook',
      { headers: {}, body: '' } as never,
      controller.signal,
    );
    controller.abort(new Error('too late'));
    await t.rejects(sent, { message: 'too late' });
    t.same(requests, ['http://127.0.0.1:1/hook']);
  },
);

t.test('a signal that fetch accepts is given to it', async (t) => {
  const { signal } = new AbortController();
  t.equal(signalOption(signal).signal, signal);
});

t.test('no file but plain-data.ts uses instanceof with a class that each realm has', async (t) => {
  const checks = ['lib', 'mock-server', 'cli'].flatMap((folder) =>
    readdirSync(new URL(folder, REPOSITORY), { recursive: true, encoding: 'utf8' })
      .filter(
        (path) => /\.tsx?$/.test(path) && !path.startsWith('generated') && path !== 'core/plain-data.ts',
      )
      .flatMap((path) => {
        const text = readFileSync(new URL(`${folder}/${path}`, REPOSITORY), 'utf8');
        return [...text.matchAll(/\binstanceof (\w+)/g)].map(([check, name = '']) => ({ path, check, name }));
      }),
  );
  t.not(checks.length, 0);
  t.same(
    checks.filter(({ name }) => name in globalThis),
    [],
  );
});
