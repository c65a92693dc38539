// With `recipientCheck`, nothing that a GET without the cookie returns has a value of the prefill: on every mount, of every
// page, in every language, as JSON, by `openLink`, and behind a link of the mock's dashboard.
import t from 'tap';
import {
  type Claimlink,
  createStandaloneWidget,
  hashAccessCode,
  type LinkRequest,
  type WidgetConfig,
} from '../../lib/index.js';
import { startMockServer } from '../../mock-server/index.js';
import { skipPauses } from '../core/skip-pauses.js';
import { MOUNTS } from './mounts.js';
import { createTestService, linkRequest, PUBLIC_URL } from './service.js';

const person = (name: string) => ({
  firstName: `canary-${name}-first`,
  lastName: `canary-${name}-last`,
  email: `canary-${name}@example.com`,
  phone: `+49 30 99887${name.length}`,
});

const POLICY = {
  provider: 'canary-provider',
  number: 'canary-number',
  validFrom: '1977-01-02',
  validTo: '1978-03-04',
  holder: person('holder'),
  linkedContacts: [person('contact')],
  vehicle: { licensePlate: 'canary-plate' },
} as const satisfies WidgetConfig['policy'];

/** Each value, in the forms in which a page could write it. A nonce and a token do not match them. */
const CANARIES = [/canary/i, /30 ?99887/, /\b197[78]\b/];
const ANSWER = 'CANARY PLATE';

const { config } = linkRequest();
const request = (policy: WidgetConfig['policy'] = POLICY): LinkRequest =>
  linkRequest({
    callbackUrl: 'https://app.example.com/',
    config: { ...config, currentUserId: 'user-canary', policy: policy ?? {} },
  });

const CHECKED = { recipientCheck: ['/policy/vehicle/licensePlate'] } as const;
const ASKED = {
  recipientCheck: { id: 'plate', kind: 'text', texts: { en: { label: 'Which plate?' } } },
} as const;
const checkRecipient = ({ answer }: { answer: string }) => answer === ANSWER;
const LOCALES = createStandaloneWidget().locales;

/** The links to open: their states, and what their client asks. */
async function linksOf(claimlink: Claimlink): Promise<Record<string, string>> {
  const create = async (policy?: WidgetConfig['policy']) =>
    (await claimlink.createLink('acme', request(policy))).url.slice(PUBLIC_URL.length);
  const parts = (target: string) =>
    /^\/verify\/([^?]+)\?token=(.+)$/.exec(target)?.slice(1) as [string, string];
  const { vehicle: _, ...withoutPlate } = POLICY;
  const links = {
    usable: await create(),
    'without a value to ask for': await create(withoutPlate),
    locked: await create(),
    revoked: await create(),
    submitted: await create(),
  };
  const restorePauses = skipPauses();
  for (let count = 0; count < 5; count++)
    await claimlink.openLink(...parts(links.locked), { recipientAnswer: 'wrong' }).catch(() => undefined);
  restorePauses();
  const { links: stored } = await claimlink.listLinks('acme', { userId: 'user-canary' });
  t.equal(stored.length, 5);
  await claimlink.revokeLink('acme', hashAccessCode(parts(links.revoked)[0]));
  const { provider, number, validFrom, validTo, holder, vehicle } = POLICY;
  await claimlink.submitClaim(
    ...parts(links.submitted),
    {
      policy: { provider, number, validFrom, validTo, holder, vehicle },
      incident: { date: '2026-05-01', description: 'canary' },
    },
    { recipientAnswer: ANSWER },
  );
  return links;
}

for (const { name, start, settings } of [
  ...MOUNTS.map((mount) => ({ ...mount, settings: CHECKED })),
  ...MOUNTS.slice(0, 1).map((mount) => ({
    ...mount,
    name: `${mount.name}, a question of the host`,
    settings: ASKED,
  })),
])
  t.test(`${name}: no page of a link has a value of the prefill`, async (t) => {
    const { claimlink } = await createTestService({ checkRecipient });
    await claimlink.updateClient({ clientId: 'acme', name: 'Acme Insurance', settings });
    const links = await linksOf(claimlink);
    const mount = await start(claimlink);
    t.teardown(() => mount.close());
    const assertClean = async (what: string, sent: Parameters<typeof mount.send>[0]) => {
      const { status, headers, body } = await mount.send(sent);
      const text = JSON.stringify(headers) + body;
      for (const canary of CANARIES) t.notMatch(text, canary, `${what}: ${status}`);
      return { status, headers, body };
    };
    for (const [state, path] of Object.entries(links)) {
      for (const method of ['GET', 'HEAD'])
        for (const accept of ['text/html', 'application/json', 'application/problem+json', '*/*'])
          await assertClean(`${state}, ${method} ${accept}`, { method, path, headers: { accept } });
      for (const lang of LOCALES)
        await assertClean(`${state}, ${lang}`, { method: 'GET', path: `${path}&lang=${lang}` });
      await assertClean(`${state}, a forged cookie`, {
        method: 'GET',
        path,
        headers: {
          cookie: `claimlink_probe=1; claimlink_answer=9999999999.${'A'.repeat(43)}; claimlink_receipt=9999999999.x`,
        },
      });
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = links['usable'] ?? '';
    const post = (body: string, headers = {}) => ({
      method: 'POST',
      path,
      headers: { ...form, ...headers },
      body,
    });
    for (const lang of LOCALES)
      await assertClean(`no answer, ${lang}`, {
        ...post('action=check&answer='),
        path: `${path}&lang=${lang}`,
      });
    await assertClean('a wrong answer', post('action=check&answer=wrong'));
    await assertClean(
      'a wrong answer as JSON',
      post('action=check&answer=wrong', { accept: 'application/json' }),
    );
    await assertClean('a claim without an answer', post('%2Fincident%2Fdescription=x'));
    const right = await assertClean(
      'the right answer',
      post(new URLSearchParams({ action: 'check', answer: ANSWER }).toString(), {
        cookie: 'claimlink_probe=1',
      }),
    );
    t.equal(right.status, 303);
    const [cookie = ''] = String(right.headers['set-cookie']).split(';', 1);
    const shown = await mount.send({ method: 'GET', path, headers: { cookie } });
    t.match(shown.body, 'canary-holder-last', 'the test finds what is there');
  });

t.test('openLink and its errors have no value of the prefill without the answer', async (t) => {
  const { claimlink } = await createTestService();
  await claimlink.updateClient({ clientId: 'acme', settings: CHECKED });
  for (const [state, target] of Object.entries(await linksOf(claimlink))) {
    const [, code = '', token = ''] = /^\/verify\/([^?]+)\?token=(.+)$/.exec(target) ?? [];
    const result = await claimlink.openLink(code, token).catch((error: Error) => ({
      ...error,
      message: error.message,
    }));
    const { userId: _, config, ...others } = result as { userId?: string; config?: object };
    // The host knows its user.
    const { currentUserId: __, ...shown } = { currentUserId: '', ...config };
    for (const canary of CANARIES) t.notMatch(JSON.stringify({ ...others, shown }), canary, state);
  }
});

t.test('a link of the dashboard asks as well', async (t) => {
  await using mock = await startMockServer({
    port: 0,
    clients: [{ clientId: 'demo', apiKey: 'demo-key', settings: CHECKED }],
  });
  const { url } = await mock.createLink('demo', { ...request(), callbackUrl: 'https://app.example.com/' });
  for (const accept of ['text/html', 'application/json']) {
    const response = await fetch(url, { headers: { accept } });
    t.equal(response.status, accept === 'text/html' ? 200 : 403);
    const text = await response.text();
    for (const canary of CANARIES) t.notMatch(text, canary);
  }
  const opened = await mock.openLink(url);
  t.equal(opened.state, 'opened', 'the mock plays the recipient');
  t.ok((await mock.submitLink(url)).reference);
});
