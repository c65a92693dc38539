// The language of a page: by `?lang=`, then by Accept-Language, then the first one of the widget.
import t from 'tap';
import { createFakeWidget } from '../core/fake-widget.js';
import { createWorld } from '../core/world.js';

const widget = { ...createFakeWidget(), locales: ['en', 'de', 'fr'] };
const world = await createWorld({ widget });

async function languageOf(header?: string, lang?: string): Promise<string | undefined> {
  const { target } = await world.mint();
  const response = await world.send('GET', lang === undefined ? target : `${target}&lang=${lang}`, {
    headers: { ...(header !== undefined && { 'accept-language': header }) },
  });
  t.equal(response.headers['content-language'], widget.forms.at(-1)?.locale);
  return response.headers['content-language'];
}

t.test('the parameter lang wins over Accept-Language, which wins over the first language', async (t) => {
  t.equal(await languageOf(), 'en');
  t.equal(await languageOf('de'), 'de');
  t.equal(await languageOf('de', 'fr'), 'fr');
});

t.test('a region finds its language, weights count, and an unknown language is passed over', async (t) => {
  t.equal(await languageOf('de-CH'), 'de');
  t.equal(await languageOf('ja, de;q=0.5, fr;q=0.8'), 'fr');
  t.equal(await languageOf('ja'), 'en');
  t.equal(await languageOf('fr', 'ja'), 'fr');
  t.equal(await languageOf('fr', ''), 'fr');
  t.equal(await languageOf('%%%', '%3B%3Bq='), 'en');
});

/** Returns a value of a header whose last part ends after so many characters. */
const endingAt = (length: number, last: string) => `${','.repeat(length - last.length)}${last}`;

t.test('lang, Accept-Language and Accept are read to 1,024 characters', async (t) => {
  for (const [length, language] of [
    [1024, 'de'],
    [1026, 'en'],
    [15_000, 'en'],
  ] as const) {
    t.equal(await languageOf(endingAt(length, ',de')), language, `Accept-Language of ${length}`);
    t.equal(await languageOf(undefined, endingAt(length, ',de')), language, `lang of ${length}`);
    const headers = { accept: endingAt(length, ',application/json') };
    const { headers: answered } = await world.send('GET', '/verify/unknown?token=x', { headers });
    const type = length === 1024 ? /problem\+json/ : /text\/html/;
    t.match(answered['content-type'], type, `Accept of ${length}`);
  }
});

t.test('the pages after the form and the error pages have the language as well', async (t) => {
  const link = await world.mint({ callbackOnSubmit: false });
  const submission = await world.submitForm(link, undefined, { 'accept-language': 'fr' });
  t.equal(submission.headers['content-language'], 'fr');
  t.equal(widget.successes.at(-1)?.locale, 'fr');
  const gone = await world.open(link, { 'accept-language': 'de' });
  t.equal(gone.status, 410);
  t.equal(widget.unavailables.at(-1)?.locale, 'de');
});

t.test('a widget without languages gets en, and its pages name no language', async (t) => {
  const plain = await createWorld();
  const response = await plain.open(await plain.mint(), { 'accept-language': 'de' });
  t.equal(plain.widget.forms[0]?.locale, 'en');
  t.notOk('content-language' in response.headers);
});
