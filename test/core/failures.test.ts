// When something behind the service fails: a 500 that is constant but for its instance, and the cause for onError alone.
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createClaimlink } from '../../lib/claimlink.js';
import { ClaimlinkError } from '../../lib/core/errors.js';
import type { AdminStorage, Storage } from '../../lib/core/storage.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import { createFakeWidget } from './fake-widget.js';
import {
  createWorld,
  linkRequest,
  outcomeOf,
  PUBLIC_URL,
  problemOf,
  type World,
  type WorldOptions,
} from './world.js';

const CONSTANT = {
  type: 'urn:claimlink:problem:internal',
  title: 'Something went wrong on our side',
  status: 500,
  detail: 'An unexpected error occurred. Try again in a moment.',
  code: 'internal',
};
const UNAVAILABLE = {
  ...CONSTANT,
  type: 'urn:claimlink:problem:storage_unavailable',
  title: 'The service is not available right now',
  status: 503,
  code: 'storage_unavailable',
};
const CAUSE = new Error('connect ECONNREFUSED db.internal:5432 password=hunter2');

const WAYS: Record<string, () => never | Promise<never>> = {
  throws: () => {
    throw CAUSE;
  },
  rejects: () => Promise.reject(CAUSE),
  'never answers': () => new Promise<never>(() => undefined),
};

/** What a request needs of the storage, the request, and its redacted form. */
const CALLS: Record<
  keyof Pick<
    Storage,
    'findCredentials' | 'listSessions' | 'insertLink' | 'findLink' | 'markLinkOpened' | 'submitLink'
  >,
  [request: (world: World) => Promise<CoreResponse>, path: string]
> = {
  findCredentials: [(world) => world.list(), '/acme/sessions/:userId'],
  listSessions: [(world) => world.list(), '/acme/sessions/:userId'],
  insertLink: [(world) => world.requestLink(linkRequest()), '/acme/link'],
  findLink: [async (world) => world.submitJson(await world.mint()), '/verify/:accessCode'],
  markLinkOpened: [
    async (world) => world.open(await world.mint(), { accept: 'application/json' }),
    '/verify/:accessCode',
  ],
  submitLink: [async (world) => world.submitJson(await world.mint()), '/verify/:accessCode'],
};

/** Checks that a response is the constant problem, and returns its instance. */
function checkConstant(t: Test, response: CoreResponse, expected = CONSTANT): string | undefined {
  const { instance, ...others } = problemOf(response);
  t.equal(response.status, expected.status);
  t.strictSame(others, expected);
  t.match(instance, /^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  return instance;
}

for (const [method, [request, path]] of Object.entries(CALLS)) {
  for (const [how, fail] of Object.entries(WAYS)) {
    const isLate = how === 'never answers';
    const expected = isLate ? UNAVAILABLE : CONSTANT;
    const name = `a storage whose ${method} ${how}: the constant ${expected.status}, and onError gets the cause`;
    t.test(name, async (t) => {
      const world = await createWorld({
        storageTimeoutSeconds: 0.05,
        wrapStorage: (storage) => ({ ...storage, [method]: fail }),
      });
      const response = await request(world);
      const instance = checkConstant(t, response, expected);
      t.equal(response.headers['retry-after'], isLate ? '5' : undefined);
      t.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8');
      t.equal(world.errors.length, 1);
      const [{ error, request: redacted } = {}] = world.errors;
      if (isLate) {
        const message = `The storage did not answer ${method} within 0.05 s (storageTimeoutSeconds).`;
        t.match(error, { code: 'storage_unavailable', message });
      } else t.equal(error, CAUSE);
      t.match(redacted, { path, instance });
      t.strictSame(Object.keys(redacted ?? {}).sort(), ['instance', 'method', 'path']);
    });
  }
}

t.test('a storage that fails behind a link gives a browser a page without the cause', async (t) => {
  const world = await failing('findLink');
  const response = await world.open(await world.mint());
  t.equal(response.status, 500);
  t.match(response.headers['content-type'], 'text/html');
  const { instance } = world.errors[0]?.request ?? {};
  t.match(instance, /^urn:uuid:/);
  t.match(world.widget.unavailables, [{ code: 'internal', status: 500, instance }]);
});

t.test('an unreachable storage behind a link is a 503 with Retry-After, as a page and as JSON', async (t) => {
  const { open, mint } = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      findLink: () => Promise.reject(new ClaimlinkError('storage_unavailable')),
    }),
  });
  const link = await mint();
  for (const [accept, type] of [
    ['text/html', /^text\/html/],
    ['application/json', /^application\/problem\+json/],
  ] as const) {
    const { status, headers } = await open(link, { accept });
    t.equal(status, 503);
    t.match(headers, { 'content-type': type, 'retry-after': '5' });
  }
});

t.test('a rejection of another copy of the package counts like one of this copy', async (t) => {
  const rejection = { name: 'ClaimlinkError', code: 'request_invalid', statusCode: 400 };
  const world = await createWorld({
    wrapStorage: (storage) => ({
      ...storage,
      listSessions: () => Promise.reject(Object.assign(new Error('The cursor is not valid.'), rejection)),
    }),
  });
  t.equal(outcomeOf(await world.list()), '400 request_invalid');
});

for (const [name, code, statusCode] of [
  ['a code of another copy that this copy does not have', 'teapot', 418],
  ['a code that no response has', 'already_exists', 409],
] as const) {
  t.test(`an error of the storage with ${name} is the constant 500`, async (t) => {
    const error = Object.assign(new Error('short and stout'), { name: 'ClaimlinkError', code, statusCode });
    const world = await createWorld({
      wrapStorage: (storage) => ({ ...storage, listSessions: () => Promise.reject(error) }),
    });
    checkConstant(t, await world.list());
    t.match(world.errors, [{ error: { code } }], 'and onError gets it');
  });
}

t.test('an onError that throws changes nothing', async (t) => {
  const world = await failing('listSessions', {
    onError: () => {
      throw new Error('reporter');
    },
  });
  checkConstant(t, await world.list());
});

t.test('4xx answers are not reported', async (t) => {
  const world = await createWorld();
  await world.list('?limit=0');
  await world.send('GET', '/acme/sessions/user-1');
  await world.send('GET', '/nothing');
  await world.requestLink({});
  await world.send('GET', '/verify/x?token=x');
  t.strictSame(world.errors, []);
});

t.test('a widget that throws is the constant 500 as JSON; onError gets both failures', async (t) => {
  const broken = () => {
    throw CAUSE;
  };
  const widget = { ...createFakeWidget(), renderForm: broken, renderUnavailable: broken };
  const world = await createWorld({ widget });
  const response = await world.open(await world.mint());
  const instance = checkConstant(t, response);
  t.match(world.errors, [{ request: { instance } }, { request: { instance } }]);
  t.equal(world.errors.length, 2);
});

t.test('a 4xx page that cannot be rendered is the constant 500, reported with its instance', async (t) => {
  const renderUnavailable = () => {
    throw CAUSE;
  };
  const world = await createWorld({ widget: { ...createFakeWidget(), renderUnavailable } });
  const instance = checkConstant(t, await world.send('GET', '/verify/x?token=x'));
  t.match(world.errors, [{ error: CAUSE, request: { instance } }]);
});

t.test('each 5xx has an instance of its own', async (t) => {
  const world = await failing('listSessions');
  const instances = [checkConstant(t, await world.list()), checkConstant(t, await world.list())];
  t.equal(new Set(instances).size, 2);
});

t.test('a widget whose readForm throws is a 500, and the link stays usable', async (t) => {
  const widget = {
    ...createFakeWidget(),
    readForm: () => {
      throw CAUSE;
    },
  };
  const world = await createWorld({ widget });
  const link = await world.mint();
  t.equal((await world.submitForm(link)).status, 500);
  t.equal((await world.submitJson(link)).status, 200);
});

t.test('a body that cannot be read for an unknown reason is a 500 with its cause reported', async (t) => {
  const world = await createWorld();
  const response = await world.call('POST', '/acme/link', { body: () => Promise.reject(CAUSE) });
  const instance = checkConstant(t, response);
  t.match(world.errors, [{ error: CAUSE, request: { instance } }]);
});

const FOLLOW_UPS: Record<string, () => void | Promise<void>> = {
  throws: () => {
    throw CAUSE;
  },
  rejects: () => Promise.reject(CAUSE),
};

for (const [how, onSubmit] of Object.entries(FOLLOW_UPS)) {
  t.test(`an onSubmit that ${how} does not change the response; onError gets cause and event`, async (t) => {
    const world = await createWorld({ onSubmit });
    const response = await world.submitJson(await world.mint());
    t.equal(response.status, 200);
    await setImmediate();
    const { reference } = JSON.parse(response.body).data;
    const attempt = { attempt: 1, isFinal: false };
    const submission = { clientId: 'acme', userId: 'user-1', reference, ...attempt };
    t.strictSame(world.errors, [{ error: CAUSE, request: undefined, submission }]);
  });
}

t.test('a request does not wait for an onSubmit that never settles', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const world = await createWorld({ onSubmit: () => new Promise(() => undefined) });
  t.equal((await world.submitJson(await world.mint())).status, 200);
});

t.test('an onSubmit and an onError that both throw bring nothing down', async (t) => {
  const fail = () => {
    throw CAUSE;
  };
  const world = await createWorld({ onSubmit: fail, onError: fail });
  t.equal((await world.submitJson(await world.mint())).status, 200);
  await setImmediate();
});

t.test('without onError a 500 is a process warning, once', async (t) => {
  const { storage, signer, apiKey } = await createWorld();
  const claimlink = createClaimlink({
    storage: broken(storage, 'listSessions'),
    signer,
    publicUrl: PUBLIC_URL,
    widget: false,
  });
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  t.teardown(() => process.off('warning', listen));
  for (let i = 0; i < 3; i++) {
    const headers = { 'x-api-key': apiKey };
    const response = await claimlink.handle({ method: 'GET', url: '/acme/sessions/user-1', headers });
    t.equal(outcomeOf(response), '500 internal');
  }
  await setImmediate();
  const ours = warnings.filter((warning) => 'code' in warning && warning.code === 'CLAIMLINK_ON_ERROR');
  t.equal(ours.length, 1);
  t.notOk(ours[0]?.message.includes('hunter2'));
});

t.test('redact names a request by its route, without its ids and query', async (t) => {
  const { claimlink } = await createWorld();
  const path = (method: string, url: string) => claimlink.redact({ method, url }).path;
  t.equal(path('GET', '/acme/sessions/user-1?cursor=x'), '/acme/sessions/:userId');
  t.equal(path('GET', '/verify/code?token=secret'), '/verify/:accessCode');
  t.equal(path('PUT', '/acme/sessions/user-1'), '/acme/sessions/:userId', 'a method without a route');
  t.equal(path('GET', '/something/else/secret/x'), '/*');
  t.equal(path('GET', "/$&$'/sessions/user-1"), "/$&$'/sessions/:userId", 'no pattern of String.replace');
});

t.test('with the basePath of the mount, redact keeps it, and hides what is outside of it', async (t) => {
  const { claimlink } = await createWorld();
  const path = (url: string, basePath = '/api/claims') =>
    claimlink.redact({ method: 'GET', url }, { basePath }).path;
  t.equal(path('/api/claims/acme/sessions/user-1?cursor=x'), '/api/claims/acme/sessions/:userId');
  t.equal(path('/api/claims/acme/sessions/user-1', '/api/claims/'), '/api/claims/acme/sessions/:userId');
  t.equal(path('https://host/api/claims/verify/code?token=x'), '/api/claims/verify/:accessCode');
  t.equal(path('/api/claims//acme/sessions/user-1'), '/api/claims/*');
  for (const url of ['/acme/sessions/user-1', '/api/claimsacme/link', '/api/claims', '*', ''])
    t.equal(path(url), '/*', url);
  t.equal(path('/acme/sessions/user-1', ''), '/acme/sessions/:userId');
  for (const options of [{ basePath: 'claims' }, { basepath: '/claims' }, null])
    t.throws(() => claimlink.redact({ method: 'GET', url: '/' }, options as object), {
      code: 'options_invalid',
    });
});

t.test('without a widget, redact names the pages of the host like those of claimlink', async (t) => {
  const { claimlink } = await createWorld({ widget: false });
  const path = (method: string, url: string) => claimlink.redact({ method, url }).path;
  for (const method of ['GET', 'HEAD', 'POST', 'PUT'])
    t.equal(path(method, '/verify/code?token=secret'), '/verify/:accessCode', method);
  t.equal(path('GET', '/%76erify/code?token=secret'), '/verify/:accessCode', 'an encoded letter');
  for (const url of ['/verify', '/verify/', '/verify/code/secret', '/claims/verify/code'])
    t.equal(path('GET', url), '/*', url);
});

function broken(storage: AdminStorage, method: keyof Storage): Storage {
  return { ...storage, [method]: () => Promise.reject(CAUSE) };
}

function failing(method: keyof Storage, options: WorldOptions = {}): Promise<World> {
  return createWorld({ ...options, wrapStorage: (storage) => broken(storage, method) });
}

t.test('an onError that rejects harms neither the answer nor the process', async (t) => {
  let calls = 0;
  const { list } = await createWorld({
    wrapStorage: (storage) => ({ ...storage, listSessions: () => Promise.reject(new Error('down')) }),
    onError: async () => {
      calls++;
      throw new Error('the reporter is down, too');
    },
  });
  t.equal(outcomeOf(await list()), '500 internal');
  t.equal(calls, 1);
});

t.test('a policy that a widget writes over several lines is sent as one', async (t) => {
  const widget = createFakeWidget();
  const policy = "default-src 'none';\n  script-src 'self'";
  const { open, mint } = await createWorld({
    widget: { ...widget, renderForm: () => ({ html: '', contentSecurityPolicy: policy }) },
  });
  const { headers } = await open(await mint());
  t.equal(headers['content-security-policy'], "default-src 'none'; script-src 'self'");
});

t.test('a policy that no header can carry is the constant 500, and onError says why', async (t) => {
  const widget = createFakeWidget();
  const { open, mint, errors } = await createWorld({
    widget: { ...widget, renderForm: () => ({ html: '', contentSecurityPolicy: "img-src 'ü'" }) },
  });
  t.equal((await open(await mint())).status, 500);
  t.match(errors[0]?.error, { message: /contentSecurityPolicy/ });
});

t.test('a request without a target is answered, not rejected', async (t) => {
  const { claimlink } = await createWorld();
  const request = { method: 'GET', headers: {} } as Parameters<typeof claimlink.handle>[0];
  t.equal(outcomeOf(await claimlink.handle(request)), '404 route_not_found');
});
