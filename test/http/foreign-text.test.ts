// No page has both a text that another site chose and personal data: the length of a compressed page would tell what they share.
import t from 'tap';
import type { ClientSettings } from '../../lib/core/types.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { createWorld, linkRequest, type MintedLink, type World } from '../core/world.js';

const TEXT = 'text-of-another-site';
const PREFILL = {
  number: 'PREFILL-NUMBER',
  provider: 'PREFILL-PROVIDER',
  validFrom: '2026-01-01',
  validTo: '2026-12-31',
  vehicle: { licensePlate: 'PREFILL-PLATE' },
  holder: {
    firstName: 'PREFILL-FIRST',
    lastName: 'PREFILL-LAST',
    email: 'prefill@example.com',
    phone: '555123987',
  },
  linkedContacts: [{ firstName: 'PREFILL-CONTACT', lastName: 'L', email: 'prefill-contact@example.com' }],
};
/** What the recipient sends from the page itself. */
const CLAIM = {
  '/policy/provider': 'SENT-PROVIDER',
  '/policy/number': 'SENT-NUMBER',
  '/policy/validFrom': '2026-01-01',
  '/policy/validTo': '2026-12-31',
  '/policy/vehicle/licensePlate': 'SENT-PLATE',
  '/policy/holder/firstName': 'SENT-FIRST',
  '/policy/holder/lastName': 'SENT-LAST',
  '/policy/holder/phone': '555123987',
  '/policy/holder/email': 'sent@example.com',
  '/incident/description': 'SENT-DESCRIPTION',
};
const PERSONAL = /prefill|sent-|sent@|555123987/i;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (world: World, { target }: MintedLink, fields: Record<string, string>, headers = {}) =>
  world.send('POST', target, {
    headers: { ...FORM, ...headers },
    body: new URLSearchParams(fields).toString(),
  });

/** Every place of a request where another site, or its user, may write a text. */
const HEADERS = {
  accept: `text/html, x/${TEXT}`,
  'accept-language': `${TEXT}, en;q=0.5`,
  'accept-encoding': `gzip, ${TEXT}`,
  origin: `https://${TEXT}.example`,
  referer: `https://${TEXT}.example/${TEXT}`,
  host: `${TEXT}.example`,
  'x-forwarded-host': `${TEXT}.example`,
  'x-forwarded-proto': TEXT,
  'user-agent': TEXT,
  prefer: `return=${TEXT}`,
  'idempotency-key': TEXT,
  'sec-fetch-site': 'cross-site',
  'sec-fetch-dest': 'iframe',
};
const QUERIES = [
  `&x=${TEXT}`,
  `&lang=${TEXT}`,
  `&lang=en-${TEXT}`,
  `&view=${TEXT}`,
  `&view=compact&lang=de&${TEXT}=${TEXT}`,
  `&token=${TEXT}`,
  `.${TEXT}`,
];
const MARKED = Object.fromEntries(Object.keys(CLAIM).map((pointer) => [pointer, TEXT]));
/** A claim that is stored. */
const COMPLETE = {
  ...MARKED,
  '/policy/validFrom': '2026-01-01',
  '/policy/validTo': '2026-12-31',
  '/policy/vehicle/licensePlate': 'FOREIGN',
  '/policy/holder/phone': '112',
  '/policy/holder/email': `${TEXT}@example.com`,
};
const FORMS: readonly Record<string, string>[] = [
  MARKED,
  { ...MARKED, [TEXT]: TEXT, '/policy/linkedContacts/0/firstName': TEXT, '/extra': TEXT },
  COMPLETE,
  { action: 'check', answer: TEXT, ...MARKED },
  { action: 'check', answer: '', proof: TEXT, ...MARKED },
  { action: 'decline', why: TEXT, ...MARKED },
  { action: 'renew', ...MARKED },
  { action: 'start', ...MARKED },
  { action: TEXT, ...MARKED },
  { action: 'submit', recipientAnswer: TEXT, proof: TEXT, ...MARKED },
];

/** The settings of clients, and what the recipient has done before, with the cookies that the browser then sends. */
const CLIENTS: Record<string, ClientSettings> = {
  'no settings': {},
  'a question': { recipientCheck: ['/policy/vehicle/licensePlate'], allowDecline: true },
  'every part': { allowDecline: true, continueOnPhone: true },
};
type Before = (world: World, link: MintedLink) => Promise<{ cookie?: string }>;
const cookieOf = (header: string | undefined) => ({ cookie: header?.split(';', 1)[0] ?? '' });
const answer = async (world: World, link: MintedLink) => {
  const fields = { action: 'check', answer: PREFILL.vehicle.licensePlate };
  const response = await post(world, link, fields, { cookie: 'claimlink_probe=1' });
  return cookieOf(response.headers['set-cookie']);
};
const STATES: Record<string, Before> = {
  'a new link': async () => ({}),
  'a link whose question is answered': answer,
  'a submitted link': async (world, link) => {
    const response = await post(world, link, CLAIM, await answer(world, link));
    return cookieOf(response.headers['set-cookie']);
  },
  'a link that has ended': async (world, link) => {
    const cookies = await answer(world, link);
    world.advance(30 * 86_400_000);
    return cookies;
  },
  'a declined link': async (world, link) => {
    await post(world, link, { action: 'decline', why: 'not_me' });
    return {};
  },
};

async function start(settings: ClientSettings, before: Before, options = {}) {
  const world = await createWorld({
    widget: createStandaloneWidget(),
    client: { settings, frameAncestors: ['https://portal.example'] },
    events: ['claim.submitted', 'link.started', 'link.declined', 'link.renewal_requested'],
    onEvent: () => {},
    withoutOnSubmit: true,
    ...options,
  } as never);
  const link = await world.mint({ config: { ...linkRequest().config, policy: PREFILL } });
  return { world, link, cookies: await before(world, link) };
}

let personalPages = 0;
for (const [client, settings] of Object.entries(CLIENTS))
  for (const [state, before] of Object.entries(STATES))
    t.test(
      `${state}, of a client with ${client}: no page with personal data has a text of another site`,
      async (t) => {
        const isClean = (name: string, body: string) => {
          if (PERSONAL.test(body)) personalPages++;
          t.notOk(PERSONAL.test(body) && body.toLowerCase().includes(TEXT), name);
        };
        const { world, link, cookies } = await start(settings, before);
        for (const query of QUERIES) {
          const target = `${link.target}${query}`;
          const { body } = await world.send('GET', target, { headers: { ...HEADERS, ...cookies } });
          isClean(query, body);
          t.notOk(body.toLowerCase().includes(TEXT), `no page of a GET has it at all: ${query}`);
        }
        for (const fields of FORMS) {
          // Each form changes the link: the next one gets its own.
          const next = await start(settings, before);
          const { body } = await post(next.world, next.link, fields, { ...HEADERS, ...next.cookies });
          isClean(JSON.stringify(fields).slice(0, 60), body);
          const again = await next.world.open(next.link, next.cookies as never);
          isClean('the page afterwards', again.body);
        }
      },
    );

t.test('a form that no header calls cross-site gets its text back without the prefill', async (t) => {
  for (const headers of [{}, { 'sec-fetch-site': 'same-site' }]) {
    const { world, link } = await start({}, async () => ({}));
    const { status, body } = await post(world, link, { '/incident/description': TEXT }, headers);
    t.equal(status, 400);
    t.match(body, TEXT);
    t.notMatch(body, PERSONAL);
  }
});

t.test('a form of another site gets no text back from a service that fails', async (t) => {
  const validateClaim = () => Promise.reject(new Error('down'));
  const { world, link } = await start({}, async () => ({}), { validateClaim });
  const page = (headers: object) =>
    post(world, link, { ...CLAIM, '/incident/description': TEXT }, headers).then(({ body }) => body);
  t.match(await page({}), TEXT, 'the page of this service does');
  t.notMatch(await page(HEADERS), TEXT);
});

t.test(
  'the cases have pages with personal data, and a form of the page itself gets its text beside it',
  async (t) => {
    t.ok(personalPages > 50, `${personalPages} pages with personal data`);
    const { world, link } = await start({}, async () => ({}));
    const { body } = await post(world, link, {
      ...CLAIM,
      '/incident/description': TEXT,
      '/policy/number': '',
    });
    t.match(body, TEXT);
    t.match(body, PERSONAL);
  },
);
