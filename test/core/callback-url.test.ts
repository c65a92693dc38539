// Callback URLs: which ones a client may use, where a redirect goes, and which source the CSP names. Web links.
import t from 'tap';
import {
  assertCallbackOrigins,
  callbackProblem,
  isWebUrl,
  redirectTarget,
} from '../../lib/core/callback-url.js';
import type { Problem } from '../../lib/core/errors.js';
import { createWorld, linkRequest, outcomeOf, problemOf } from './world.js';

const ANY = { callbackOrigins: undefined, allowLoopbackCallbacks: false };
const LOOPBACK = { callbackOrigins: undefined, allowLoopbackCallbacks: true };
const LISTED = {
  callbackOrigins: [
    'https://app.example.com',
    'https://app.example.com:8443',
    'myapp:',
    'http://localhost:3000',
    'http://portal:3000',
  ],
  allowLoopbackCallbacks: false,
};

const ABSOLUTE: Problem = { rule: 'url', detail: 'must be an absolute URL' };
const HTTPS: Problem = {
  rule: 'callback_scheme',
  detail: 'must be an https URL, or http to an origin in the callbackOrigins of the client',
};

const HTTPS_OR_LOOPBACK: Problem = {
  rule: 'callback_scheme',
  detail:
    'must be an https URL, or http to a loopback host or an origin in the callbackOrigins of the client',
};
const UNLISTED: Problem = {
  rule: 'callback_origin',
  detail: 'has an origin that is not in the callbackOrigins of the client',
};
/** Returns a problem whose detail names the listed origins. */
const naming = ({ rule, detail }: Problem, ...origins: string[]): Problem => ({
  rule,
  detail: `${detail} (${origins.join(', ')})`,
});
const NOT_ONE_OF_FIVE = naming(UNLISTED, ...LISTED.callbackOrigins);
const HTTPS_OR_ONE_OF_FIVE = naming(HTTPS, ...LISTED.callbackOrigins);
const UNLISTED_SCHEME: Problem = {
  rule: 'callback_scheme',
  detail: 'must be an https URL, or have a scheme in the callbackOrigins of the client',
};
const FORBIDDEN: Problem = { rule: 'callback_scheme', detail: 'has a scheme that is never allowed' };
const UNSAFE: Problem = {
  rule: 'url',
  detail: 'must not contain spaces, control characters or backslashes',
};
const USER_INFO: Problem = {
  rule: 'url_credentials',
  detail: 'must not contain a user name or password',
};
const SURROGATE: Problem = { rule: 'text', detail: 'must not contain lone surrogates' };
const PLACEHOLDER: Problem = {
  rule: 'callback_placeholder',
  detail: 'must not have a placeholder in its host',
};

const WITHOUT_LIST: Record<string, [url: string, problem?: Problem]> = {
  'an https URL': ['https://app.example.com/done?a=b'],
  'a fragment': ['https://app.example.com/done#top'],
  placeholders: ['https://app.example.com/{SESSION_REFERENCE}?s={STATUS}'],
  'another port': ['https://app.example.com:8443/'],
  'a scheme in upper case': ['HTTPS://APP.EXAMPLE.COM/'],
  'an IPv6 host': ['https://[2001:db8::1]/done'],
  'non-ASCII in host and path': ['https://bücher.example/ü'],
  'no scheme': ['app.example.com/done', ABSOLUTE],
  'a path': ['/done', ABSOLUTE],
  'a protocol-relative URL': ['//app.example.com/done', ABSOLUTE],
  'https without slashes': ['https:app.example.com', ABSOLUTE],
  'https with one slash': ['https:/app.example.com', ABSOLUTE],
  'https with a backslash instead of slashes': ['https:\\\\app.example.com', UNSAFE],
  'https with three slashes': ['https:///app.example.com', ABSOLUTE],
  'https with four slashes': ['https:////app.example.com', ABSOLUTE],
  'https without a host': ['https://', ABSOLUTE],
  'https with a path in place of the host': ['https:///done', ABSOLUTE],
  'a port out of range': ['https://app.example.com:99999/', ABSOLUTE],
  http: ['http://app.example.com/', HTTPS],
  'http to localhost': ['http://localhost:3000/', HTTPS],
  'javascript:': ['javascript:alert(1)', FORBIDDEN],
  'JavaScript: in mixed case': ['JaVaScRiPt:alert(1)', FORBIDDEN],
  'javascript: with an authority': ['javascript://app.example.com/%0aalert(1)', FORBIDDEN],
  'data:': ['data:text/html,<script>alert(1)</script>', FORBIDDEN],
  'vbscript:': ['vbscript:x', FORBIDDEN],
  'file:': ['file:///etc/passwd', FORBIDDEN],
  'blob:': ['blob:https://app.example.com/1', FORBIDDEN],
  'about:': ['about:blank', FORBIDDEN],
  'view-source:': ['view-source:https://app.example.com/', FORBIDDEN],
  'a custom scheme': ['myapp://done', UNLISTED_SCHEME],
  'ftp:': ['ftp://app.example.com/', UNLISTED_SCHEME],
  'a user name': ['https://user@app.example.com/', USER_INFO],
  'a user name and password': ['https://user:secret@app.example.com/', USER_INFO],
  'an empty user name': ['https://@app.example.com/', USER_INFO],
  'an empty user name and password': ['https://:@app.example.com/', USER_INFO],
  'an @ in the path': ['https://app.example.com/@user'],
  'an @ in the query': ['https://app.example.com?user@example.com'],
  'a password alone': ['https://:secret@app.example.com/', USER_INFO],
  'a line feed': ['https://app.example.com/\nSet-Cookie:a=b', UNSAFE],
  'a carriage return': ['https://app.example.com/\rX', UNSAFE],
  'a tab within the scheme': ['java\tscript:alert(1)', UNSAFE],
  'a leading space': [' https://app.example.com/', UNSAFE],
  'a NUL': ['https://app.example.com/\0', UNSAFE],
  'a DEL': ['https://app.example.com/\x7f', UNSAFE],
  'a backslash': ['https:\\\\app.example.com\\', UNSAFE],
  'a backslash after the host': ['https://evil.com\\@app.example.com/', UNSAFE],
  'a lone surrogate': ['https://app.example.com/\ud800', SURROGATE],
};

for (const [what, [url, problem]] of Object.entries(WITHOUT_LIST)) {
  t.test(`without a list, ${what} ${problem?.detail ?? 'is allowed'}`, async (t) => {
    t.strictSame(callbackProblem(url, ANY), problem);
  });
}

const WITH_LIST: Record<string, [url: string, problem?: Problem]> = {
  'a listed origin': ['https://app.example.com/done'],
  'a listed origin in upper case, which parses equal': ['https://APP.example.com/done'],
  'a listed origin with its default port': ['https://app.example.com:443/done'],
  'a listed origin with tricks in its path': ['https://app.example.com/@evil.com/..//evil.com'],
  'a listed port': ['https://app.example.com:8443/'],
  'a listed custom scheme': ['myapp://claims/done'],
  'a listed custom scheme in upper case': ['MyApp:done'],
  'another port': ['https://app.example.com:444/', NOT_ONE_OF_FIVE],
  'a longer host': ['https://app.example.com.evil.com/', NOT_ONE_OF_FIVE],
  'the origin as a user name': ['https://app.example.com@evil.com/', USER_INFO],
  'the origin as a user name with a port': ['https://app.example.com:443@evil.com/', USER_INFO],
  'a prefixed host': ['https://evilapp.example.com/', NOT_ONE_OF_FIVE],
  'a subdomain': ['https://a.app.example.com/', NOT_ONE_OF_FIVE],
  'the parent domain': ['https://example.com/', NOT_ONE_OF_FIVE],
  'a trailing dot': ['https://app.example.com./', NOT_ONE_OF_FIVE],
  'the origin in a query': ['https://evil.com/?https://app.example.com', NOT_ONE_OF_FIVE],
  'the origin in a path': ['https://evil.com/https://app.example.com/', NOT_ONE_OF_FIVE],
  'a look-alike letter': ['https://app.ex\u0430mple.com/', NOT_ONE_OF_FIVE],
  'a soft hyphen, which parses away': ['https://app.exam\u00adple.com/'],
  'an encoded dot, which parses to the origin': ['https://app%2eexample.com/'],
  'http instead of https': ['http://app.example.com/', HTTPS_OR_ONE_OF_FIVE],
  'a listed http origin': ['http://portal:3000/done'],
  'another port of a listed http origin': ['http://portal/done', HTTPS_OR_ONE_OF_FIVE],
  'a listed http origin with a user name': ['http://user@portal:3000/', USER_INFO],
  'https instead of a listed http origin': ['https://portal:3000/', NOT_ONE_OF_FIVE],
  'a listed loopback origin without the loopback option': ['http://localhost:3000/'],
  'a listed custom scheme with a user name': ['myapp://user@claims/done', USER_INFO],
  'a listed custom scheme with a password alone': ['myapp://:secret@claims/done', USER_INFO],
  'a listed custom scheme with a percent-encoded placeholder as its host': [
    'myapp://%7BSTATUS%7D/done',
    PLACEHOLDER,
  ],
  'a custom scheme that starts like a listed one': ['myapps://done', UNLISTED_SCHEME],
  'an unlisted custom scheme': ['other://done', UNLISTED_SCHEME],
};

for (const [what, [url, problem]] of Object.entries(WITH_LIST)) {
  t.test(`with a list, ${what} ${problem?.detail ?? 'is allowed'}`, async (t) => {
    t.strictSame(callbackProblem(url, LISTED), problem);
  });
}

t.test('an empty list allows nothing', async (t) => {
  t.strictSame(callbackProblem('https://app.example.com/', { ...ANY, callbackOrigins: [] }), UNLISTED);
});

t.test('a problem names the first five origins of a list', async (t) => {
  const origins = Array.from({ length: 6 }, (_, index) => `https://${index}.example`);
  const problem = callbackProblem('https://app.example.com/', { ...ANY, callbackOrigins: origins });
  t.strictSame(problem, naming(UNLISTED, ...origins.slice(0, 5), '…'));
});

t.test('a forbidden scheme stays forbidden when it is listed', async (t) => {
  const policy = { ...ANY, callbackOrigins: ['javascript:', 'data:'] };
  t.strictSame(callbackProblem('javascript:alert(1)', policy), FORBIDDEN);
  t.strictSame(callbackProblem('data:text/html,x', policy), FORBIDDEN);
});

const LOOPBACK_HOSTS: Record<string, [url: string, problem?: Problem]> = {
  localhost: ['http://localhost:3000/'],
  'a name below localhost': ['http://app.localhost/'],
  '127.0.0.1': ['http://127.0.0.1:8080/'],
  '127.1, which parses to 127.0.0.1': ['http://127.1/'],
  '::1': ['http://[::1]:8080/'],
  'an https URL anywhere': ['https://app.example.com/'],
  'another host': ['http://app.example.com/', HTTPS_OR_LOOPBACK],
  'a host that starts with localhost': ['http://localhost.evil.com/', HTTPS_OR_LOOPBACK],
  'a host that starts with 127.0.0.1': ['http://127.0.0.1.evil.com/', HTTPS_OR_LOOPBACK],
  'a private address': ['http://192.168.0.1/', HTTPS_OR_LOOPBACK],
  '0.0.0.0': ['http://0.0.0.0/', HTTPS_OR_LOOPBACK],
};

for (const [what, [url, problem]] of Object.entries(LOOPBACK_HOSTS)) {
  t.test(`with allowLoopbackCallbacks, http to ${what} ${problem?.detail ?? 'is allowed'}`, async (t) => {
    t.strictSame(callbackProblem(url, LOOPBACK), problem);
  });
}

t.test('a loopback origin must be in the client’s list, if there is one', async (t) => {
  const policy = { ...LISTED, allowLoopbackCallbacks: true };
  t.equal(callbackProblem('http://localhost:3000/done', policy), undefined);
  t.strictSame(callbackProblem('http://localhost:3001/done', policy), NOT_ONE_OF_FIVE);
  t.strictSame(callbackProblem('http://192.168.0.1/', policy), HTTPS_OR_ONE_OF_FIVE);
});

t.test('a bad callback URL is a 400 with its pointer, over HTTP', async (t) => {
  const { requestLink } = await createWorld({ client: { callbackOrigins: ['https://app.example.com'] } });
  const response = await requestLink(linkRequest({ callbackUrl: 'https://app.example.com.evil.com/' }));
  t.equal(outcomeOf(response), '400 request_invalid');
  t.strictSame(problemOf(response).errors, [
    { pointer: '/callbackUrl', ...naming(UNLISTED, 'https://app.example.com') },
  ]);
});

const VALUES = { reference: 'S 1/2&ü', status: 'sub#mitted' };
const TARGETS: Record<string, [callbackUrl: string, target: string]> = {
  'as given': [
    'https://APP.example.com:443/a/../b?x=[1]#{x}',
    'https://APP.example.com:443/a/../b?x=[1]#{x}',
  ],
  'with the reference, percent-encoded': [
    'https://a.example/?r={SESSION_REFERENCE}',
    'https://a.example/?r=S%201%2F2%26%C3%BC',
  ],
  'with the status, percent-encoded': ['https://a.example/{STATUS}', 'https://a.example/sub%23mitted'],
  'with every occurrence of a placeholder': [
    'https://a.example/{STATUS}/{STATUS}#{STATUS}',
    'https://a.example/sub%23mitted/sub%23mitted#sub%23mitted',
  ],
  'with other braces left alone': ['https://a.example/{status}{OTHER}', 'https://a.example/{status}{OTHER}'],
  'of a stored link with encoded braces': [
    'https://a.example/%7BSTATUS%7D',
    'https://a.example/%7BSTATUS%7D',
  ],
  'non-ASCII as ASCII': [
    'https://bücher.example/ü?ö#ä',
    'https://xn--bcher-kva.example/%C3%BC?%C3%B6#%C3%A4',
  ],
};

for (const [what, [callbackUrl, target]] of Object.entries(TARGETS)) {
  t.test(`a redirect goes to the callback ${what}`, async (t) => {
    t.equal(redirectTarget(callbackUrl, VALUES), target);
    t.match(redirectTarget(callbackUrl, VALUES), /^[!-~]+$/);
  });
}

t.test('a list of callback origins holds origins and custom schemes', async (t) => {
  t.doesNotThrow(() => assertCallbackOrigins(undefined));
  t.doesNotThrow(() => assertCallbackOrigins([]));
  t.doesNotThrow(() => assertCallbackOrigins(LISTED.callbackOrigins));
  t.doesNotThrow(() => assertCallbackOrigins(['http://[::1]:3000', 'com.example.app:']));
});

for (const entry of [
  'https://a.example/',
  'https://A.example',
  'a.example',
  'https:',
  'http:',
  'data:',
  '*',
  '',
  'my app:',
  'null',
  'https://*.example.com',
  'https://{tenant}.example.com',
]) {
  t.test(`a list of callback origins may not hold ${JSON.stringify(entry)}`, async (t) => {
    t.throws(() => assertCallbackOrigins(['https://ok.example', entry]), { code: 'request_invalid' });
  });
}

t.test('a placeholder in the host is rejected, because its value could name another host', async (t) => {
  const policy = { callbackOrigins: undefined, allowLoopbackCallbacks: false };
  for (const url of ['https://{STATUS}.example.com/', 'https://a.{SESSION_REFERENCE}/']) {
    t.strictSame(callbackProblem(url, policy), PLACEHOLDER, url);
  }
});

const WEB_URLS: Record<string, [url: string, isWeb: boolean]> = {
  'an https URL': ['https://example.com/help', true],
  'an http URL': ['http://example.com', true],
  'a scheme in upper case': ['HTTPS://EXAMPLE.COM', true],
  'an IPv6 host': ['https://[2001:db8::1]/', true],
  'a non-ASCII host': ['https://bücher.example/', true],
  'an @ in the path': ['https://example.com/@help', true],
  'https with three slashes': ['https:///example.com', false],
  'https with one slash': ['https:/example.com', false],
  'https without slashes': ['https:example.com', false],
  'https with backslashes': ['https:\\\\example.com', false],
  'an empty user name': ['https://@example.com', false],
  'a user name': ['https://user@example.com', false],
  'a space': ['https://example.com/a b', false],
  'a port out of range': ['https://example.com:99999', false],
  'an invalid Punycode host': ['https://xn--a.example/', false],
  'another scheme': ['mailto:help@example.com', false],
  'a path': ['/help', false],
};

for (const [what, [url, isWeb]] of Object.entries(WEB_URLS)) {
  t.test(`${what} is ${isWeb ? '' : 'not '}a web link`, async (t) => {
    t.equal(isWebUrl(url), isWeb);
  });
}
