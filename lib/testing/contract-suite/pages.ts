// Contract rules: opening a link, and links that are used, forged or mixed up.
import type { Answer } from './client.js';
import {
  expect,
  expectMediaType,
  expectProblem,
  expectStatus,
  header,
  NotApplicableError,
} from './expect.js';
import { minimalLinkRequest, sampleClaim, WANTS_JSON, WANTS_PAGE } from './samples.js';
import { readToken } from './token.js';
import type { ContractRule, ContractSection, ContractWorld, MintedLink } from './world.js';

async function openNew(world: ContractWorld): Promise<Answer> {
  return world.open(await world.openable(), WANTS_PAGE);
}

/** A directive of a Content-Security-Policy, without its name. */
function directive(policy: string, name: string): string | undefined {
  const found = policy.split(';').find((part) => part.trim().toLowerCase().startsWith(`${name} `));
  return found?.trim().slice(name.length + 1);
}

function nonceOf(policy: string): string | undefined {
  return /'nonce-([^']+)'/.exec(policy)?.[1];
}

export const pageSection: ContractSection = {
  section: 'Decision: opening a link, pages',
  rules: [
    {
      name: 'HEAD of a link answers like GET, without a body',
      async check(world) {
        const answer = await world.open(await world.openable(), WANTS_PAGE, 'HEAD');
        expectStatus(answer, 200);
        expect(answer.body === '', answer.title, 'a body', 'none');
        expectMediaType(answer, 'text/html');
      },
    },
    {
      name: 'GET and HEAD never consume a link: after five of each a claim still gets in',
      async check(world) {
        const link = await world.openable();
        for (let n = 0; n < 5; n++) {
          for (const method of ['GET', 'HEAD']) expectStatus(await world.open(link, WANTS_PAGE, method), 200);
        }
        await world.aSubmission();
        expectStatus(await world.submitJson(link, sampleClaim()), 200);
      },
    },
    {
      name: 'the page has a Content-Security-Policy that runs no inline script without a nonce',
      async check(world) {
        const answer = await openNew(world);
        const policy = header(answer, 'content-security-policy');
        const scripts = directive(policy, 'script-src') ?? directive(policy, 'default-src');
        const seen =
          scripts === undefined
            ? 'no policy for scripts'
            : `script-src ${scripts.replace(/nonce-[^']+/, 'nonce-…')}`;
        const isStrict = scripts !== undefined && !/'unsafe-|\*|\b(?:https?|data|blob):(?!\/)/.test(scripts);
        expect(isStrict, answer.title, seen, 'a script-src without unsafe-inline and wildcards');
      },
    },
    {
      name: 'the nonce of the page is another one each time',
      async check(world) {
        const link = await world.openable();
        const answers = [await world.open(link, WANTS_PAGE), await world.open(link, WANTS_PAGE)];
        const [first, second] = answers.map((answer) => nonceOf(header(answer, 'content-security-policy')));
        if (first === undefined) throw new NotApplicableError('the policy of the page has no nonce');
        expect(first !== second, answers[1]?.title ?? '', 'the same nonce twice', 'a new one each time');
      },
    },
    {
      name: 'form-action lets the form go on to the callback',
      async check(world) {
        const answer = await openNew(world);
        const action = directive(header(answer, 'content-security-policy'), 'form-action');
        if (action === undefined) throw new NotApplicableError('the policy of the page has no form-action');
        const { origin, protocol } = new URL(world.target.callbackUrl);
        const isAllowed = action.split(/\s+/).some((source) => source === origin || source === protocol);
        expect(isAllowed, answer.title, `form-action ${action}`, `form-action with ${origin}`);
      },
    },
    headerRule('Referrer-Policy: no-referrer', 'referrer-policy', /^no-referrer$/i, openNew),
    headerRule('X-Robots-Tag: noindex', 'x-robots-tag', /\bnoindex\b/i, openNew),
    {
      name: 'values of the link request are escaped on the page',
      async check(world) {
        const hostile = `claimlink-check"'><script>claimlinkCheck()</script>`;
        const { contact, currentUserId } = minimalLinkRequest('', world.target.userId).config;
        const policy = { provider: hostile, number: hostile, holder: { firstName: hostile } };
        const link = await world.openable({ config: { contact, currentUserId, policy } });
        const answer = await world.open(link, WANTS_PAGE);
        expectStatus(answer, 200);
        const isEscaped = !answer.body.includes('<script>claimlinkCheck()');
        expect(isEscaped, answer.title, 'a script of the prefill in the page', 'every value escaped');
      },
    },
  ],
};

function headerRule(
  shown: string,
  name: string,
  expected: RegExp,
  ask: (world: ContractWorld) => Promise<Answer>,
): ContractRule {
  return {
    name: `the page has ${shown}`,
    async check(world) {
      const answer = await ask(world);
      expect(expected.test(header(answer, name)), answer.title, header(answer, name) || `no ${name}`, shown);
    },
  };
}

/** A link that must be 404, however it is asked for, and takes no claim. */
function forged(what: string, forge: (world: ContractWorld) => Promise<string>): ContractRule {
  return {
    name: `a link ${what} is 404, and takes no claim`,
    async check(world) {
      await world.openable();
      const link = { url: await forge(world) };
      expectStatus(await world.open(link, WANTS_PAGE), 404);
      expectStatus(await world.open(link, WANTS_PAGE, 'HEAD'), 404);
      expectStatus(await world.submitJson(link, sampleClaim()), 404);
    },
  };
}

function withToken({ url, token }: MintedLink, replacement: string): string {
  expect(token !== '', 'data', 'a URL without a token', '?token=<encoded_token>');
  return url.replace(token, () => replacement);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Another character of the same alphabet; not the last one of a part, some bits of which may mean nothing. */
function altered(text: string, at: number): string {
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}

/** Signs with a key of our own (HS256). */
async function signForeign(header: object, payload: string): Promise<string> {
  const signed = `${encode(header)}.${payload}`;
  const secret = new TextEncoder().encode('claimlink-check: nobody else has this key');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

export const forgedSection: ContractSection = {
  section: 'Decision: forged and foreign links',
  rules: [
    forged('without a token', async (world) => {
      const { url } = await world.mint();
      return url.slice(0, url.indexOf('?'));
    }),
    forged('with a token that is none', async (world) => withToken(await world.mint(), 'a.b.c')),
    forged('with an altered signature', async (world) => {
      const link = await world.mint();
      const [header, payload, signature] = readToken(link).encoded;
      return withToken(link, `${header}.${payload}.${altered(signature, 3)}`);
    }),
    forged('with a token whose end was put off', async (world) => {
      const link = await world.mint();
      const { payload, encoded } = readToken(link);
      const later = encode({ ...payload, exp: Number(payload['exp']) + 1000 });
      return withToken(link, `${encoded[0]}.${later}.${encoded[2]}`);
    }),
    forged('with a token of alg none', async (world) => {
      const link = await world.mint();
      const { header, encoded } = readToken(link);
      return withToken(link, `${encode({ ...header, alg: 'none' })}.${encoded[1]}.`);
    }),
    forged('with a token that somebody else signed', async (world) => {
      const link = await world.mint();
      const { header, encoded } = readToken(link);
      return withToken(link, await signForeign({ ...header, alg: 'HS256' }, encoded[1]));
    }),
    forged('with a token whose kid nobody knows', async (world) => {
      const link = await world.mint();
      const { header, encoded } = readToken(link);
      return withToken(link, await signForeign({ ...header, kid: 'claimlink-check' }, encoded[1]));
    }),
    forged('with the token of another link', async (world) => {
      const [link, other] = [await world.mint(), await world.mint()];
      return withToken(link, other.token);
    }),
    forged('with an altered access code', async (world) => {
      const { url, accessCode } = await world.mint();
      return url.replace(accessCode, () => altered(accessCode, 2));
    }),
    {
      name: 'a forged link tells a browser by a page, and Accept: application/json by a problem',
      async check(world) {
        const url = withToken(await world.openable(), 'a.b.c');
        expectMediaType(await world.open({ url }, WANTS_PAGE), 'text/html');
        const answer = await world.open({ url }, WANTS_JSON);
        expectMediaType(answer, 'application/problem+json');
        expectProblem(answer, 404, 'link_not_found');
      },
    },
  ],
};

async function openUsed(world: ContractWorld, accept = WANTS_PAGE, method = 'GET'): Promise<Answer> {
  return world.open((await world.aSubmission()).link, accept, method);
}

export const usedSection: ContractSection = {
  section: 'Decision: submitted links',
  rules: [
    {
      name: 'a link whose claim is in is 410 for a browser, and tells it by a page',
      async check(world) {
        const answer = await openUsed(world);
        expectStatus(answer, 410);
        expectMediaType(answer, 'text/html');
      },
    },
    {
      name: 'HEAD of a link whose claim is in is 410',
      check: async (world) => expectStatus(await openUsed(world, WANTS_PAGE, 'HEAD'), 410),
    },
    {
      name: 'a link whose claim is in is the problem link_submitted for Accept: application/json',
      check: async (world) => expectProblem(await openUsed(world, WANTS_JSON), 410, 'link_submitted'),
    },
    headerRule(
      'Referrer-Policy: no-referrer when it is 410, too',
      'referrer-policy',
      /^no-referrer$/i,
      openUsed,
    ),
    headerRule('X-Robots-Tag: noindex when it is 410, too', 'x-robots-tag', /\bnoindex\b/i, openUsed),
  ],
};
