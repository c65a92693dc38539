// Rules about opening a link, and about submitted and forged links.
import { createHmac } from 'node:crypto';
import { readCompact, signCompact } from '../../core/compact-token.js';
import { type CreatedLink, type Deployment, SERVED_RULE, UNSERVED } from './deployment.js';
import {
  expect,
  expectMediaType,
  expectProblem,
  expectStatus,
  header,
  NotApplicableError,
  statusLine,
} from './expect.js';
import { type ExpectedHeader, headerRules } from './headers.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { WANTS_JSON, WANTS_PAGE } from './samples.js';
import { readToken } from './token.js';

async function openNew(deployment: Deployment): Promise<TextResponse> {
  return deployment.open(await deployment.createOpenableLink(), WANTS_PAGE);
}

/** Returns the value of a directive of a Content-Security-Policy. */
function directive(policy: string, name: string): string | undefined {
  const text = policy.split(';').find((part) => part.trim().toLowerCase().startsWith(`${name} `));
  return text?.trim().slice(name.length + 1);
}

function nonceOf(policy: string): string | undefined {
  return /'nonce-([^']+)'/.exec(policy)?.[1];
}

/** The values of Referrer-Policy (Referrer Policy, 3), and whether the Referer then has no path. */
const REFERRER_POLICIES: ReadonlyMap<string, boolean> = new Map([
  ['no-referrer', true],
  ['origin', true],
  ['strict-origin', true],
  ['no-referrer-when-downgrade', false],
  ['same-origin', false],
  ['origin-when-cross-origin', false],
  ['strict-origin-when-cross-origin', false],
  ['unsafe-url', false],
]);

/** Browsers take the last value of the list that they know. */
const HIDES_THE_PATH = {
  test(value: string): boolean {
    const policies = value.split(',').map((policy) => policy.trim().toLowerCase());
    return REFERRER_POLICIES.get(policies.findLast((policy) => REFERRER_POLICIES.has(policy)) ?? '') ?? false;
  },
};

const PAGE_HEADERS: readonly ExpectedHeader[] = [
  ['Referrer-Policy', 'strict-origin, origin or no-referrer', HIDES_THE_PATH],
  ['X-Robots-Tag', 'noindex', /\bnoindex\b/i],
];

export const pageSection: ContractSection = {
  section: 'Decision: opening a link, pages',
  advice: 'Show the page without consuming the link, with the documented security headers.',
  rules: [
    {
      name: SERVED_RULE,
      async check(deployment) {
        const reason = await deployment.unservedReason();
        if (reason !== undefined && reason !== UNSERVED) throw new NotApplicableError(reason);
        const response = await deployment.open(await deployment.createLink(), WANTS_PAGE);
        const expected =
          'a page: this server, or another one behind the same URL, must show the widget there';
        expect(response.status !== 404, response, statusLine(response), expected);
      },
    },
    {
      name: 'HEAD of a link answers like GET, without a body',
      async check(deployment) {
        const response = await deployment.open(await deployment.createOpenableLink(), WANTS_PAGE, 'HEAD');
        expectStatus(response, 200);
        expect(response.body === '', response, 'a body', 'none');
        expectMediaType(response, 'text/html');
      },
    },
    {
      name: 'GET and HEAD never consume a link: after five of each a claim is accepted',
      async check(deployment) {
        const link = await deployment.createOpenableLink();
        for (let n = 0; n < 5; n++) {
          for (const method of ['GET', 'HEAD'])
            expectStatus(await deployment.open(link, WANTS_PAGE, method), 200);
        }
        await deployment.sharedSubmission();
        expectStatus(await deployment.submitJson(link, deployment.newClaim()), 200);
      },
    },
    {
      name: 'the page has a Content-Security-Policy that runs no inline script without a nonce',
      async check(deployment) {
        const response = await openNew(deployment);
        const policy = header(response, 'content-security-policy');
        const scripts = directive(policy, 'script-src') ?? directive(policy, 'default-src');
        const actual =
          scripts === undefined
            ? 'no policy for scripts'
            : `script-src ${scripts.replace(/nonce-[^']+/, 'nonce-…')}`;
        const isStrict = scripts !== undefined && !/'unsafe-|\*|\b(?:https?|data|blob):(?!\/)/.test(scripts);
        expect(isStrict, response, actual, 'a script-src without unsafe-inline and wildcards');
      },
    },
    {
      name: 'the nonce of the page is new for each response',
      async check(deployment) {
        const link = await deployment.createOpenableLink();
        const responses = [await deployment.open(link, WANTS_PAGE), await deployment.open(link, WANTS_PAGE)];
        const [first, second] = responses.map((response) =>
          nonceOf(header(response, 'content-security-policy')),
        );
        if (first === undefined) throw new NotApplicableError('the policy of the page has no nonce');
        expect(first !== second, responses[1]?.title ?? '', 'the same nonce twice', 'a new nonce');
      },
    },
    {
      name: 'form-action allows the redirect to the callback',
      async check(deployment) {
        const response = await openNew(deployment);
        const action = directive(header(response, 'content-security-policy'), 'form-action');
        if (action === undefined) throw new NotApplicableError('the policy of the page has no form-action');
        const { origin, protocol } = new URL(deployment.target.callbackUrl);
        const isAllowed = action.split(/\s+/).some((source) => source === origin || source === protocol);
        expect(isAllowed, response, `form-action ${action}`, `form-action with ${origin}`);
      },
    },
    ...headerRules('the page', openNew, PAGE_HEADERS),
    {
      name: 'values of the link request are escaped on the page',
      async check(deployment) {
        const hostile = `claimlink-check"'><script>claimlinkCheck()</script>`;
        const { config } = deployment.linkRequest();
        const policy = { provider: hostile, number: hostile, holder: { firstName: hostile } };
        const link = await deployment.createOpenableLink({ config: { ...config, policy } });
        const response = await deployment.open(link, WANTS_PAGE);
        expectStatus(response, 200);
        const isEscaped = !response.body.includes('<script>claimlinkCheck()');
        expect(isEscaped, response, 'a script of the prefill in the page', 'every value escaped');
      },
    },
  ],
};

/** A link that must be 404 for GET, HEAD and POST. `forge` returns its URL. */
function forged(
  what: string,
  forge: (link: CreatedLink, deployment: Deployment) => string | Promise<string>,
): ContractRule {
  return {
    name: `a link ${what} is 404, and accepts no claim`,
    async check(deployment) {
      const link = { url: await forge(await deployment.createOpenableLink(), deployment) };
      expectStatus(await deployment.open(link, WANTS_PAGE), 404);
      expectStatus(await deployment.open(link, WANTS_PAGE, 'HEAD'), 404);
      expectStatus(await deployment.submitJson(link, deployment.newClaim()), 404);
    },
  };
}

function withToken({ url, token }: CreatedLink, replacement: string): string {
  expect(token !== '', 'data', 'a URL without a token', '?token=<encoded_token>');
  return url.replace(token, () => replacement);
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Replaces a character of a base64url text. Not for the last character, because decoders ignore some of its bits. */
function altered(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);
}

/** Signs with HS256 and a key that the deployment does not have. */
function signWithOtherKey(header: object, payload: string): string {
  const signed = `${encode(header)}.${payload}`;
  const hmac = createHmac('sha256', 'claimlink-check: a key that no deployment has');
  return `${signed}.${hmac.update(signed).digest('base64url')}`;
}

export const forgedSection: ContractSection = {
  section: 'Decision: forged links',
  advice: 'Verify the token and that it belongs to the access code before the link is read.',
  rules: [
    forged('without a token', ({ url }) => url.slice(0, url.indexOf('?'))),
    forged('with a malformed token', (link) => withToken(link, 'a.b.c')),
    forged('with an altered signature', (link) => {
      // The MAC is at the end.
      if (readCompact(link.token)) return withToken(link, altered(link.token, link.token.length - 8));
      const [header, payload, signature] = readToken(link).encoded;
      return withToken(link, `${header}.${payload}.${altered(signature, 3)}`);
    }),
    forged('with a token whose exp was changed', (link) => {
      const compact = readCompact(link.token);
      if (compact !== undefined) {
        const bytes = Buffer.from(link.token, 'base64url');
        bytes.writeUIntBE(compact.end + 1000, 1, 5);
        return withToken(link, bytes.toString('base64url'));
      }
      const { payload, encoded } = readToken(link);
      const later = encode({ ...payload, exp: Number(payload['exp']) + 1000 });
      return withToken(link, `${encoded[0]}.${later}.${encoded[2]}`);
    }),
    forged('with a token of alg none', (link) => {
      const { header, encoded } = readToken(link);
      return withToken(link, `${encode({ ...header, alg: 'none' })}.${encoded[1]}.`);
    }),
    forged('with a token signed with another key', async (link, { target }) => {
      const compact = readCompact(link.token);
      if (compact !== undefined) {
        const { accessCode } = link;
        const actual = `${accessCode.length} characters`;
        expect(/^[\w-]{22}$/.test(accessCode), 'the access code', actual, '22 characters of base64url');
        const { end, clientId } = compact;
        const claims = { accessCode, clientId, expiresAt: new Date(end * 1000) };
        return withToken(link, signCompact(new Uint8Array(32), target.baseUrl, claims));
      }
      const { header, encoded } = readToken(link);
      return withToken(link, signWithOtherKey({ ...header, alg: 'HS256' }, encoded[1]));
    }),
    forged('with a token whose kid is unknown', async (link) => {
      const { header, encoded } = readToken(link);
      return withToken(link, signWithOtherKey({ ...header, kid: 'claimlink-check' }, encoded[1]));
    }),
    forged('with the token of another link', async (link, deployment) =>
      withToken(link, (await deployment.createLink()).token),
    ),
    forged('with an altered access code', ({ url, accessCode }) =>
      url.replace(accessCode, () => altered(accessCode, 2)),
    ),
    {
      name: 'a forged link is a page for a browser, and a problem for Accept: application/json',
      async check(deployment) {
        const url = withToken(await deployment.createOpenableLink(), 'a.b.c');
        expectMediaType(await deployment.open({ url }, WANTS_PAGE), 'text/html');
        const response = await deployment.open({ url }, WANTS_JSON);
        expectMediaType(response, 'application/problem+json');
        expectProblem(response, 404, 'link_not_found');
      },
    },
  ],
};

async function openUsed(deployment: Deployment, accept = WANTS_PAGE, method = 'GET'): Promise<TextResponse> {
  return deployment.open((await deployment.sharedSubmission()).link, accept, method);
}

export const usedSection: ContractSection = {
  section: 'Decision: submitted links',
  advice: 'Answer submitted links with 410, as a page or as a problem.',
  rules: [
    {
      name: 'a submitted link is 410 for a browser, with a page',
      async check(deployment) {
        const response = await openUsed(deployment);
        expectStatus(response, 410);
        expectMediaType(response, 'text/html');
      },
    },
    {
      name: 'HEAD of a submitted link is 410',
      check: async (deployment) => expectStatus(await openUsed(deployment, WANTS_PAGE, 'HEAD'), 410),
    },
    {
      name: 'a submitted link is the problem link_submitted for Accept: application/json',
      check: async (deployment) =>
        expectProblem(await openUsed(deployment, WANTS_JSON), 410, 'link_submitted'),
    },
    ...headerRules('the page of a submitted link', openUsed, PAGE_HEADERS),
  ],
};
