// What the built-in pages do besides a claim, over HTTP: start, decline and renew. No program that only loads a page starts it.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import { DECLINE_REASONS, EVENT_TYPES } from '../../lib/core/types.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { CLIENT_ID, createWorld, linkRequest, type MintedLink, type World } from '../core/world.js';
import { markup, postedForm, tags } from '../widget/views.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const DAY = 86_400_000;
const settings = { allowDecline: true } as const;

/** Programs that open the links of mails and chats. */
const SCANNERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36 Edg/125.0.0.0 SafeLinks',
  'Mozilla/5.0 (compatible; Microsoft Office/16.0; Microsoft Outlook 16.0)',
  'Microsoft Office Existence Discovery',
  'Mozilla/5.0 (compatible; SkypeUriPreview Preview/0.5)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mozilla/5.0 (compatible; Proofpoint URL Defense)',
  'Mimecast-URL-Protect/1.0',
  'BarracudaCentral/1.0 (+http://www.barracudacentral.org)',
  'Mozilla/5.0 (compatible; Barracuda Sentinel (EE))',
  'Mozilla/5.0 (compatible; Symantec.cloud Click-time Protection)',
  'Cisco-IronPort-URL-Filter/1.0',
  'Mozilla/5.0 (compatible; FireEye ETP)',
  'Sophos Email Time-of-Click/1.0',
  'TrendMicro TMASE URL Scanner',
  'Forcepoint-ThreatSeeker/1.0',
  'Mozilla/5.0 (compatible; GoogleImageProxy; via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Twitterbot/1.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'WhatsApp/2.23.20.0',
  'TelegramBot (like TwitterBot)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) AppleMail',
  'python-requests/2.32.0',
  'curl/8.7.1',
];

const PREFETCHES = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { purpose: 'prefetch' },
  { 'x-moz': 'prefetch' },
];

/** Creates a world with the built-in pages that records all events. */
function createPages(client = {}): Promise<World> {
  return createWorld({
    withoutOnSubmit: true,
    onEvent: () => {},
    events: EVENT_TYPES,
    widget: createStandaloneWidget(),
    client: { settings, ...client },
  });
}

const post = (world: World, { target }: MintedLink, fields: URLSearchParams, headers = {}) =>
  world.send('POST', target, { headers: { ...FORM, ...headers }, body: fields.toString() });

async function momentsOf({ storage }: World, { accessCode }: MintedLink): Promise<string[]> {
  const accessCodeHash = hashAccessCode(accessCode);
  const moments = await storage.listMoments({ clientId: CLIENT_ID, accessCodeHash });
  return (moments ?? []).map(({ type }) => type);
}

/** Returns the markup of a page that a browser without a script shows. */
const shown = (html: string) => markup(html).replace(/<template[\s\S]*?<\/template>/g, '');

/** Returns what a browser sends for the form of a page that has this text. The user chooses the first of its radio buttons. */
function fieldsOf(html: string, text: string): URLSearchParams {
  const [form = ''] = (html.match(/<form[\s\S]*?<\/form>/g) ?? []).filter((part) => part.includes(text));
  const [, id] = /^<form[^>]* id="([^"]*)"/.exec(form) ?? [];
  const others = tags(html, 'input').filter((tag) => id !== undefined && tag.includes(` form="${id}"`));
  const inputs = [...tags(form, 'input'), ...others];
  const attribute = (tag: string, name: string) =>
    new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&#39;', "'") ?? '';
  const fields = new URLSearchParams();
  for (const tag of inputs) {
    const name = attribute(tag, 'name');
    if (attribute(tag, 'type') !== 'radio' || !fields.has(name)) fields.append(name, attribute(tag, 'value'));
  }
  return fields;
}

t.test(
  'a program that only loads the page starts nothing: 30 user agents, HEAD and prefetches',
  async (t) => {
    const world = await createPages();
    const link = await world.mint();
    t.equal(SCANNERS.length, 30);
    for (const agent of SCANNERS)
      for (const headers of [{}, ...PREFETCHES])
        for (const method of ['GET', 'HEAD']) {
          const response = await world.send(method, link.target, {
            headers: { 'user-agent': agent, ...headers },
          });
          t.equal(response.status, 200);
        }
    t.same(await momentsOf(world, link), []);
    const start = await post(world, link, new URLSearchParams({ action: 'start' }));
    t.equal(start.status, 204);
    t.same(await momentsOf(world, link), ['link.started']);
  },
);

t.test('the form of a page with each reason closes the link, and the page thanks', async (t) => {
  const world = await createPages();
  for (const why of DECLINE_REASONS) {
    const link = await world.mint();
    const { body } = await world.open(link);
    t.match(body, 'This is not for me');
    t.same(Object.fromEntries(fieldsOf(body, 'name="why"')), { action: 'decline', why: 'wrong_person' });
    const response = await post(world, link, new URLSearchParams({ action: 'decline', why }));
    t.equal(response.status, 200);
    t.match(shown(response.body), '<h1>Thank you for telling us</h1>');
    t.notMatch(shown(response.body), /What you entered|decline|wrong_person/);
    t.same(await momentsOf(world, link), ['link.declined']);
    t.match((await world.open(link)).body, 'This link has been withdrawn');
  }
});

t.test('the question to a recipient lets the wrong person decline without an answer', async (t) => {
  const recipientCheck = ['/policy/vehicle/licensePlate'] as const;
  const world = await createPages({ settings: { ...settings, recipientCheck } });
  const policy = { vehicle: { licensePlate: 'B-CL 2026' } };
  const link = await world.mint({ config: { ...linkRequest().config, policy } });
  const { body } = await world.open(link);
  t.match(body, 'Please confirm that this link is for you');
  t.notMatch(body, 'B-CL 2026');
  const response = await post(world, link, fieldsOf(body, 'name="why"'));
  t.match(shown(response.body), 'Thank you for telling us');
  t.same(await momentsOf(world, link), ['link.declined']);
});

t.test('a form that declines without a reason comes back with a message, and closes nothing', async (t) => {
  const world = await createPages();
  const link = await world.mint();
  for (const fields of [{ action: 'decline' }, { action: 'decline', why: 'x' }]) {
    const { status, body } = await post(world, link, new URLSearchParams(fields));
    t.equal(status, 400);
    t.match(body, '<h1>Report a claim</h1>');
    t.match(body, 'Choose a reason</p>');
    t.match(body, '<details class="decline" open>');
    t.notMatch(body, 'class="lang"', 'another language would lose the message');
  }
  const json = await post(world, link, new URLSearchParams({ action: 'decline' }), {
    accept: 'application/json',
  });
  t.equal(json.status, 400);
  t.match(JSON.parse(json.body).errors, [{ pointer: '/why', rule: 'choice' }]);
  t.same(await momentsOf(world, link), []);
});

t.test('at the question, a form that declines without a reason comes back with a message', async (t) => {
  const recipientCheck = ['/policy/vehicle/licensePlate'] as const;
  const world = await createPages({ settings: { ...settings, recipientCheck } });
  const policy = { vehicle: { licensePlate: 'B-CL 2026' } };
  const link = await world.mint({ config: { ...linkRequest().config, policy } });
  const { status, body } = await post(world, link, new URLSearchParams({ action: 'decline' }));
  t.equal(status, 403);
  t.match(body, 'Please confirm that this link is for you');
  t.match(body, 'Choose a reason</p>');
  t.notMatch(body, 'B-CL 2026');
  t.same(await momentsOf(world, link), []);
});

t.test('a client without allowDecline has a page without the form', async (t) => {
  const world = await createPages({ settings: {} });
  const { body } = await world.open(await world.mint());
  t.notMatch(body, 'This is not for me');
  t.notMatch(body, 'name="why"');
  const response = await post(world, await world.mint(), new URLSearchParams({ action: 'decline' }));
  t.notMatch(response.body, 'Choose a reason');
});

t.test('a link that ended before the recipient declines has a page without the reason', async (t) => {
  const world = await createPages();
  const decline = new URLSearchParams({ action: 'decline', why: 'other' });
  const revoked = await world.mint();
  await world.claimlink.revokeLink(CLIENT_ID, hashAccessCode(revoked.accessCode));
  const expired = await world.mint();
  world.advance(30 * DAY);
  for (const link of [revoked, expired]) {
    const { status, body } = await post(world, link, decline);
    t.equal(status, 410);
    t.notMatch(shown(body), /What you entered|decline|why|was not sent/);
  }
});

t.test('the answer to a question is not what the user entered for a claim', async (t) => {
  const world = await createPages();
  const link = await world.mint();
  world.advance(30 * DAY);
  const { status, body } = await post(world, link, new URLSearchParams({ action: 'check', answer: 'B-1' }));
  t.equal(status, 410);
  t.notMatch(shown(body), /What you entered|B-1|was not sent/);
});

t.test('the page of an expired link asks for another one by a form, and then says so', async (t) => {
  const world = await createPages();
  const link = await world.mint();
  world.advance(30 * DAY);
  const expired = await world.open(link);
  t.equal(expired.status, 410);
  const fields = fieldsOf(expired.body, 'Ask for a new link');
  t.same([...fields], [['action', 'renew']]);
  const { status, body } = await post(world, link, fields);
  t.equal(status, 200);
  t.match(shown(body), 'We have received your request.');
  t.notMatch(shown(body), /<form|Ask for a new link|What you entered/);
  t.same(await momentsOf(world, link), ['link.expired', 'link.renewal_requested']);
});

t.test('a late claim stays on the page after the request for another link, without a script', async (t) => {
  const world = await createPages();
  const link = await world.mint();
  world.advance(30 * DAY);
  const claim = postedForm({ '/incident/description': `O'Neill's <b> "car"` });
  const late = await post(world, link, claim);
  t.equal(late.status, 410);
  t.match(late.body, 'Policy number: A-1');
  const fields = fieldsOf(late.body, 'Ask for a new link');
  t.equal(fields.get('action'), 'renew');
  t.equal(fields.getAll('action').length, 1);
  const { status, body } = await post(world, link, fields);
  t.equal(status, 200);
  t.match(shown(body), 'We have received your request.');
  t.match(shown(body), 'Your claim was not sent.');
  t.match(shown(body), 'Policy number: A-1');
  t.notMatch(shown(body), /action:|renew/);
});

t.test('a form of another site gets no text back, also where a renewal is offered', async (t) => {
  const world = await createPages();
  const link = await world.mint();
  world.advance(30 * DAY);
  const text = postedForm({ '/incident/description': 'a text of another site' });
  const renewal = new URLSearchParams({ ...Object.fromEntries(text), action: 'renew' });
  for (const fields of [text, renewal]) {
    const { body } = await post(world, link, fields, { 'sec-fetch-site': 'cross-site' });
    t.notMatch(body, 'a text of another site');
  }
});
