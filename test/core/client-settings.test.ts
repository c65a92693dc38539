// What a client may be: its language, its brand, the origins that may frame its pages, and its further settings.
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { assertClientSettings } from '../../lib/core/client-settings.js';
import { contrast } from '../../lib/core/colour.js';
import type { Branding, Client } from '../../lib/core/types.js';

function problemOf(settings: object): string | undefined {
  try {
    assertClientSettings({ clientId: 'acme', ...settings } as Client);
    return undefined;
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return code === 'request_invalid' ? message : String(error);
  }
}

function brandProblem(branding: Branding): string | undefined {
  return problemOf({ branding });
}

t.test('valid settings pass', async (t) => {
  t.equal(problemOf({}), undefined);
  t.equal(
    problemOf({
      locale: 'pt-BR',
      branding: {
        displayName: 'Acme',
        logoUrl: 'https://img.example/logo.svg',
        primaryColor: '#14508C',
        supportUrl: 'https://acme.example/help?a=1',
        imprintUrl: 'https://acme.example',
      },
      frameAncestors: ['https://portal.example', 'http://localhost:3000'],
      settings: { redirectAfterSeconds: 60 },
    }),
    undefined,
  );
});

t.test('a colour that is too light is rejected, and the error names one that passes', async (t) => {
  for (const primaryColor of ['#ffff00', '#ff8000', '#86bdf6', '#777777', '#ffffff']) {
    const problem = brandProblem({ primaryColor });
    const [, nearest = ''] = /contrast of 4\.5:1 .* is (#[0-9a-f]{6})\.$/.exec(problem ?? '') ?? [];
    t.ok(contrast(nearest, '#ffffff') >= 4.5, `${primaryColor}: ${problem}`);
    t.equal(brandProblem({ primaryColor: nearest }), undefined);
  }
});

t.test('other forms of colours, URLs that are not https, and empty or long texts are rejected', async (t) => {
  for (const primaryColor of ['red', '#123', '#1234567', 'rgb(0,0,0)', ''])
    t.match(brandProblem({ primaryColor }), /branding\.primaryColor must be a colour such as/);
  for (const url of [
    'http://acme.example',
    'javascript:alert(1)',
    '/logo.svg',
    'https://user@acme.example',
    '',
  ])
    for (const member of ['logoUrl', 'supportUrl', 'imprintUrl'])
      t.match(brandProblem({ [member]: url }), `branding.${member} must be an https URL`);
  for (const displayName of ['', 'x'.repeat(101), 'a\0b', 'a\nb', 'a\ud800'])
    t.equal(
      brandProblem({ displayName }),
      'The parameter branding.displayName must be a text of 1 to 100 UTF-16 code units without control characters.',
      JSON.stringify(displayName),
    );
});

t.test('a name is a text of 1 to 100 UTF-16 code units without control characters', async (t) => {
  for (const name of ['A', 'x'.repeat(100), 'Größte 🚗', undefined])
    t.equal(problemOf({ name }), undefined, String(name));
  for (const name of ['', 'x'.repeat(101), 'a\0b', 'a\u0085b', 'a\ud800', 7, null, ['A']])
    t.match(problemOf({ name }), /^The parameter name must be a text of 1 to 100/, JSON.stringify(name));
});

t.test('lists of origins are lists of at most 1,000 texts', async (t) => {
  for (const name of ['callbackOrigins', 'frameAncestors']) {
    const entry = 'https://app.example.com';
    for (const list of [[], [entry], Array(1000).fill(entry)])
      t.equal(problemOf({ [name]: list }), undefined);
    for (const list of [5, null, entry, { length: 0 }, new Set([entry]), Array(1001).fill(entry)])
      t.equal(problemOf({ [name]: list }), `The parameter ${name} must be a list of at most 1000 origins.`);
    for (const wrong of [5, null, {}, [entry], `https://${'a'.repeat(2048)}`])
      t.match(problemOf({ [name]: [entry, wrong] }), `The parameter ${name} has an entry that is`);
  }
});

t.test('branding and settings have known members only, and the error names the nearest one', async (t) => {
  t.match(
    problemOf({ branding: { primaryColour: '#14508c' } }),
    /branding\.primaryColour .*mean primaryColor\?/,
  );
  t.match(
    problemOf({ settings: { redirectAfter: 60 } }),
    'settings.redirectAfter is not an option (did you mean redirectAfterSeconds?)',
  );
});

t.test('branding and settings are plain objects', async (t) => {
  class Settings {}
  for (const name of ['branding', 'settings']) {
    for (const value of [null, 60, 'never', [], new Map(), new Date(0), new Settings(), Object.create({})])
      t.match(problemOf({ [name]: value }), `The parameter ${name} must be a plain object.`);
    for (const value of [{}, Object.create(null), runInNewContext('({})')])
      t.equal(problemOf({ [name]: value }), undefined);
  }
});

t.test('redirectAfterSeconds is a whole number of seconds, 5 to 300, or never', async (t) => {
  for (const redirectAfterSeconds of [5, 60, 300, 'never', undefined])
    t.equal(problemOf({ settings: { redirectAfterSeconds } }), undefined, String(redirectAfterSeconds));
  for (const redirectAfterSeconds of [
    4,
    301,
    5.5,
    0,
    -60,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '60',
    '',
    true,
    null,
  ])
    t.equal(
      problemOf({ settings: { redirectAfterSeconds } }),
      "The parameter settings.redirectAfterSeconds must be 'never' or a whole number of seconds, 5 to 300.",
      String(redirectAfterSeconds),
    );
});

t.test('a locale that is not a BCP 47 tag is rejected', async (t) => {
  for (const locale of [
    '',
    'german language',
    'de_DE',
    'EN',
    5,
    null,
    ['de'],
    `de-x-${'abc-'.repeat(30)}a`,
  ] as string[])
    t.match(problemOf({ locale }), /locale must be a BCP 47 language tag/, locale);
});

t.test('frame ancestors that are not origins are rejected', async (t) => {
  for (const origin of [
    '*',
    "'self'",
    'https://a.example/',
    'https://a.example; script-src *',
    'https://*.example',
  ])
    t.match(
      problemOf({ frameAncestors: [origin] }),
      /frameAncestors has an entry that is not an origin/,
      origin,
    );
});

t.test('settings.form.noticeConfirmation is true or false', async (t) => {
  for (const noticeConfirmation of [true, false, undefined])
    t.equal(problemOf({ settings: { form: { noticeConfirmation } } }), undefined, String(noticeConfirmation));
  t.equal(
    problemOf({ settings: { form: { noticeConfirmation: 'yes' } } }),
    'The parameter settings.form.noticeConfirmation must be true or false.',
  );
  t.match(
    problemOf({ settings: { form: { notice: true } } }),
    'The parameter settings.form.notice is not an option (did you mean noticeConfirmation?)',
  );
  for (const form of [true, [], 'notice', null])
    t.match(problemOf({ settings: { form } }), 'The parameter settings.form must be an object.');
});
