// The options of createClaimlink: bad values, unknown names, defaults, and copies.
import t from 'tap';
import { createClaimlink } from '../../lib/claimlink.js';
import { isClaimlinkError } from '../../lib/core/errors.js';
import { type ClaimlinkOptions, resolveOptions } from '../../lib/core/options.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { createFakeWidget } from './fake-widget.js';
import { createWorld, outcomeOf, PUBLIC_URL } from './world.js';

const { signer } = await createWorld();
const GOOD: ClaimlinkOptions = { storage: createMemoryStorage(), signer, publicUrl: PUBLIC_URL };
const { submitLink: _, ...storageWithoutSubmit } = createMemoryStorage();
const { markLinkOpened: __, ...storageWithoutOpen } = createMemoryStorage();
const { leaseEvents: _____, settleEvent: ______, ...storageWithoutEvents } = createMemoryStorage();
const { renderForm: ___, ...widgetWithoutForm } = createFakeWidget();

const BAD: Record<string, [changes: Record<string, unknown>, pointer: string]> = {
  'no storage': [{ storage: undefined }, '/storage'],
  'a storage that is null': [{ storage: null }, '/storage'],
  'a storage without submitLink': [{ storage: storageWithoutSubmit }, '/storage'],
  'a storage without markLinkOpened': [{ storage: storageWithoutOpen }, '/storage'],
  'no signer': [{ signer: undefined }, '/signer'],
  'a signer that is a secret': [{ signer: 'x'.repeat(32) }, '/signer'],
  'no publicUrl': [{ publicUrl: undefined }, '/publicUrl'],
  'an empty publicUrl': [{ publicUrl: '' }, '/publicUrl'],
  'a publicUrl without a scheme': [{ publicUrl: 'claims.example.com' }, '/publicUrl'],
  'a publicUrl that is a path': [{ publicUrl: '/claims' }, '/publicUrl'],
  'a publicUrl of another scheme': [{ publicUrl: 'ftp://claims.example.com' }, '/publicUrl'],
  'a publicUrl with a query': [{ publicUrl: 'https://claims.example.com/?a' }, '/publicUrl'],
  'a publicUrl with a fragment': [{ publicUrl: 'https://claims.example.com/#a' }, '/publicUrl'],
  'a publicUrl with a user name': [{ publicUrl: 'https://me@claims.example.com' }, '/publicUrl'],
  'a publicUrl with a space': [{ publicUrl: 'https://claims.example.com/a b' }, '/publicUrl'],
  'a publicUrl outside of ASCII, which no header can carry': [
    { publicUrl: 'https://bücher.example' },
    '/publicUrl',
  ],
  'a publicUrl with a port that browsers block': [{ publicUrl: 'http://127.0.0.1:6000' }, '/publicUrl'],
  'a publicUrl that is a URL object': [{ publicUrl: new URL(PUBLIC_URL) }, '/publicUrl'],
  'linkTtlSeconds 59': [{ linkTtlSeconds: 59 }, '/linkTtlSeconds'],
  'linkTtlSeconds over 30 days': [{ linkTtlSeconds: 2_592_001 }, '/linkTtlSeconds'],
  'linkTtlSeconds 60.5': [{ linkTtlSeconds: 60.5 }, '/linkTtlSeconds'],
  'linkTtlSeconds as a string': [{ linkTtlSeconds: '3600' }, '/linkTtlSeconds'],
  'linkTtlSeconds null': [{ linkTtlSeconds: null }, '/linkTtlSeconds'],
  'linkTtlSeconds NaN': [{ linkTtlSeconds: Number.NaN }, '/linkTtlSeconds'],
  'maxPageSize 0': [{ maxPageSize: 0 }, '/maxPageSize'],
  'maxPageSize 10 001': [{ maxPageSize: 10_001 }, '/maxPageSize'],
  'maxPageSize 1.5': [{ maxPageSize: 1.5 }, '/maxPageSize'],
  'storageTimeoutSeconds 0': [{ storageTimeoutSeconds: 0 }, '/storageTimeoutSeconds'],
  'storageTimeoutSeconds 0.049': [{ storageTimeoutSeconds: 0.049 }, '/storageTimeoutSeconds'],
  'storageTimeoutSeconds 301': [{ storageTimeoutSeconds: 301 }, '/storageTimeoutSeconds'],
  'storageTimeoutSeconds as a string': [{ storageTimeoutSeconds: '10' }, '/storageTimeoutSeconds'],
  'no step key in the list': [{ stepKeys: [] }, '/stepKeys'],
  'an empty step key': [{ stepKeys: ['policy', ''] }, '/stepKeys'],
  'stepKeys that are one string': [{ stepKeys: 'policy' }, '/stepKeys'],
  'allowLoopbackCallbacks as a string': [{ allowLoopbackCallbacks: 'false' }, '/allowLoopbackCallbacks'],
  'widget true': [{ widget: true }, '/widget'],
  'widget null': [{ widget: null }, '/widget'],
  'a widget without renderForm': [{ widget: widgetWithoutForm }, '/widget'],
  'a newReference that is not a function': [{ newReference: 'S-1' }, '/newReference'],
  'a validateClaim that is a list': [{ validateClaim: [] }, '/validateClaim'],
  'a validateClaim that is a schema of another version': [
    { validateClaim: { '~standard': { version: 2, vendor: 'test', validate: () => ({ value: 1 }) } } },
    '/validateClaim',
  ],
  'validateClaimSeconds 0.9': [{ validateClaimSeconds: 0.9 }, '/validateClaimSeconds'],
  'validateClaimSeconds 31': [{ validateClaimSeconds: 31 }, '/validateClaimSeconds'],
  'a clock that is a date': [{ now: new Date() }, '/now'],
  'an onSubmit that is not a function': [{ onSubmit: true }, '/onSubmit'],
  'a recordSubmissions that is not true or false': [{ recordSubmissions: 1 }, '/recordSubmissions'],
  'an onSubmit over a storage without events': [
    { onSubmit: () => undefined, storage: storageWithoutEvents },
    '/storage',
  ],
  'recordSubmissions over a storage without events': [
    { recordSubmissions: true, storage: storageWithoutEvents },
    '/storage',
  ],
  'an onError that is not a function': [{ onError: console }, '/onError'],
  'a credentialCache that is a number': [{ credentialCache: 30 }, '/credentialCache'],
  'a maxAgeSeconds of the cache over an hour': [
    { credentialCache: { maxAgeSeconds: 3601 } },
    '/credentialCache/maxAgeSeconds',
  ],
  'an unknown option of the cache': [{ credentialCache: { maxAge: 30 } }, '/credentialCache/maxAge'],
  'an unknown option': [{ baseUrl: PUBLIC_URL }, '/baseUrl'],
  'a misspelt option': [{ linkTTLSeconds: 60 }, '/linkTTLSeconds'],
  'an option called constructor': [{ constructor: 1 }, '/constructor'],
};

for (const [what, [changes, pointer]] of Object.entries(BAD)) {
  t.test(`${what} is options_invalid at ${pointer}`, async (t) => {
    const errors = problemsOf({ ...GOOD, ...changes });
    t.strictSame(
      errors.map((error) => error.pointer),
      [pointer],
    );
  });
}

t.test('a problem of an option names its rule', async (t) => {
  const bad = { ...GOOD, storage: undefined, maxPageSize: 0, baseUrl: PUBLIC_URL };
  t.strictSame(
    problemsOf(bad).map(({ rule }) => rule),
    ['required', 'value', 'unknown_option'],
  );
});

t.test('the error names every problem', async (t) => {
  const pointers = problemsOf({ linkTtlSeconds: 1, what: 1 }).map(({ pointer }) => pointer);
  t.strictSame(pointers.sort(), ['/linkTtlSeconds', '/publicUrl', '/signer', '/storage', '/what']);
});

t.test('onSubmit over a storage without events: the error names the methods and the way out', async (t) => {
  const options = { ...GOOD, storage: storageWithoutEvents, onSubmit: () => undefined };
  t.strictSame(problemsOf(options), [
    {
      pointer: '/storage',
      rule: 'combination',
      detail:
        'must implement OutboxStorage, which onSubmit or claim.submitted without recordSubmissions: false needs; ' +
        'it lacks leaseEvents, settleEvent',
    },
  ]);
  t.strictSame(problemsOf({ ...options, recordSubmissions: false }), []);
});

t.test('options that are not an object are options_invalid', async (t) => {
  t.strictSame(problemsOf(undefined), [{ pointer: '', rule: 'type', detail: 'must be an object' }]);
  t.strictSame(problemsOf('options'), [{ pointer: '', rule: 'type', detail: 'must be an object' }]);
});

t.test('an option that is undefined counts as absent', async (t) => {
  const undefineds = { linkTtlSeconds: undefined, widget: undefined, onError: undefined, other: undefined };
  t.strictSame(problemsOf({ ...GOOD, ...undefineds }), []);
});

t.test('the limits of every range are allowed', async (t) => {
  t.strictSame(problemsOf({ ...GOOD, linkTtlSeconds: 60, maxPageSize: 1, storageTimeoutSeconds: 0.05 }), []);
  t.strictSame(
    problemsOf({ ...GOOD, linkTtlSeconds: 2_592_000, maxPageSize: 10_000, storageTimeoutSeconds: 300 }),
    [],
  );
});

t.test('the defaults are the documented ones', async (t) => {
  const widget = createFakeWidget();
  const resolved = resolveOptions(GOOD, () => widget);
  t.match(resolved, {
    publicUrl: PUBLIC_URL,
    linkTtlSeconds: 86_400,
    maxPageSize: 1000,
    storageTimeoutSeconds: 10,
    allowLoopbackCallbacks: false,
  });
  t.equal(resolved.stepKeys, undefined);
  t.equal(resolved.widget, widget, 'the built-in widget');
  t.ok(Math.abs(resolved.now().getTime() - Date.now()) < 10_000, 'the clock of the system');
});

t.test('the built-in widget is created only if the service uses it', async (t) => {
  const never = () => {
    throw new Error('made');
  };
  t.equal(resolveOptions({ ...GOOD, widget: false }, never).widget, undefined);
  const widget = createFakeWidget();
  t.equal(resolveOptions({ ...GOOD, widget }, never).widget, widget);
});

t.test('options are copied and frozen, so a later change by the caller has no effect', async (t) => {
  const stepKeys = ['one'];
  const options: ClaimlinkOptions = { ...GOOD, stepKeys, maxPageSize: 1 };
  const resolved = resolveOptions(options, createFakeWidget);
  stepKeys.push('two');
  options.maxPageSize = 500;
  t.strictSame(resolved.stepKeys, ['one']);
  t.equal(resolved.maxPageSize, 1);
  t.ok(Object.isFrozen(resolved) && Object.isFrozen(resolved.stepKeys));
});

t.test('createClaimlink does not change its options, and accepts frozen ones', async (t) => {
  const options = Object.freeze({ ...GOOD, publicUrl: `${PUBLIC_URL}/`, stepKeys: Object.freeze(['one']) });
  t.doesNotThrow(() => createClaimlink(options));
  t.equal(options.publicUrl, `${PUBLIC_URL}/`);
});

t.test('inherited options are checked like own ones', async (t) => {
  const options = Object.assign(Object.create({ linkTtlSeconds: 'forever' }), GOOD);
  t.match(problemsOf(options), [{ pointer: '/linkTtlSeconds' }]);
});

t.test('the service is frozen', async (t) => {
  t.ok(Object.isFrozen(createClaimlink(GOOD)));
});

t.test('two services in one process share nothing', async (t) => {
  const [one, other] = [await createWorld(), await createWorld({ maxPageSize: 1 })];
  t.equal((await one.list('?limit=2')).status, 200);
  t.equal(outcomeOf(await other.list('?limit=2')), '400 request_invalid');
  t.equal(
    outcomeOf(await other.call('GET', '/acme/sessions/u', { headers: { 'x-api-key': one.apiKey } })),
    '401 api_key_invalid',
  );
});

function problemsOf(options: unknown) {
  try {
    createClaimlink(options as ClaimlinkOptions);
  } catch (error) {
    if (isClaimlinkError(error) && error.code === 'options_invalid') return error.problems ?? [];
    throw error;
  }
  return [];
}
