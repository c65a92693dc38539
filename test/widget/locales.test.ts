// The languages of the pages: complete, with the placeholders of English, and changed by a host.
import t from 'tap';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { en } from '../../lib/widget/locales/en.js';
import { createLanguages } from '../../lib/widget/locales/languages.js';
import { fillIn } from '../../lib/widget/locales/texts.js';
import { faults, formView } from './views.js';

const { locales, find } = createLanguages();

/** Returns every text with its path. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([name, member]) => textsOf(member, `${path}/${name}`));
}

function placeholders(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort();
}

/** Words that a language shares with English, by the path of the text. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  cs: ['/help/web'],
  da: ['/script/person'],
  de: ['/script/person'],
  es: ['/page/errorPrefix', '/help/web', '/form/no'],
  fr: ['/steps/contact/short', '/fields/description/label'],
  it: ['/form/no'],
  nl: ['/steps/contact/short'],
  sv: ['/script/person'],
};

t.test('thirteen languages are shipped, English first', async (t) => {
  t.same(locales, ['en', 'ar', 'cs', 'da', 'de', 'es', 'fi', 'fr', 'it', 'nl', 'pl', 'pt', 'sv']);
});

for (const locale of locales) {
  t.test(`${locale} has every text, none is empty, and each has the placeholders of English`, async (t) => {
    const texts = textsOf(find(locale).texts);
    const english = textsOf(en);
    t.same(
      texts.map(([path]) => path),
      english.map(([path]) => path),
    );
    t.same(
      texts.map(([path, text]) => [path, placeholders(text)]),
      english.map(([path, text]) => [path, placeholders(text)]),
    );
    t.same(
      texts.filter(([, text]) => text.trim() === ''),
      [],
    );
    t.same(faults(createStandaloneWidget().renderForm({ ...formView(), locale }).html), []);
  });
}

for (const locale of locales.filter((other) => other !== 'en')) {
  t.test(`${locale} leaves no text in English`, async (t) => {
    const english = new Map(textsOf(en));
    const same = textsOf(find(locale).texts).filter(([path, text]) => english.get(path) === text);
    t.same(
      same.map(([path]) => path),
      SHARED[locale] ?? [],
    );
  });
}

for (const locale of locales) {
  t.test(`${locale}: what a button is called has the text that it shows (WCAG 2.2, 2.5.3)`, async (t) => {
    const { form, script } = find(locale).texts;
    for (const [name, shown] of [
      [script.removePerson, form.remove],
      [script.changeStep, script.change],
    ] as const) {
      t.match(name.toLowerCase(), shown.toLowerCase());
    }
  });
}

/** "Four digits" in each language. */
const FOUR_DIGITS: Readonly<Record<string, RegExp>> = {
  ar: /أربعة أرقام/,
  cs: /čtyřmi číslicemi/,
  da: /fire cifre/,
  de: /vierstellig/,
  en: /four digits/,
  es: /cuatro cifras/,
  fi: /neljällä numerolla/,
  fr: /quatre chiffres/,
  it: /quattro cifre/,
  nl: /vier cijfers/,
  pl: /czterema cyframi/,
  pt: /quatro algarismos/,
  sv: /fyra siffror/,
};

for (const locale of locales) {
  t.test(`${locale}: the message about a date asks for four digits of the year`, async (t) => {
    t.match(find(locale).texts.problems.date, FOUR_DIGITS[locale]);
  });
}

for (const locale of locales) {
  t.test(
    `${locale}: the message about a date has no example: each browser has an order of its own`,
    async (t) => {
      t.notMatch(find(locale).texts.problems.date, /\d/);
    },
  );
}

t.test('English has one spelling, as its dates do', async (t) => {
  const american = /license|canceled|color\b|favorite|recogniz/i;
  t.same(
    textsOf(en).filter(([, text]) => american.test(text)),
    [],
  );
});

t.test('the pages speak as "we": no text sends the user to another place', async (t) => {
  t.same(
    textsOf(en).filter(([, text]) => /your insurer|passed on|the place where/i.test(text)),
    [],
  );
});

t.test('an unknown language is shown in English', async (t) => {
  t.equal(find('xx').locale, 'en');
  t.equal(find(undefined).texts, en);
});

t.test('a host changes some texts of a language; the others stay', async (t) => {
  const widget = createStandaloneWidget({ locales: { de: { form: { title: 'Schaden <melden>' } } } });
  const { html } = widget.renderForm({ ...formView(), locale: 'de' });
  t.match(html, '<html lang="de" dir="ltr">');
  t.match(html, '<h1>Schaden &lt;melden&gt;</h1>');
  t.match(html, find('de').texts.form.lead);
});

t.test('a host adds a language: a region begins with its language, any other with English', async (t) => {
  const added = createLanguages({
    'de-AT': { form: { title: 'Schaden' } },
    'ar-EG': { form: { title: 'مطالبة' } },
    he: { form: { title: 'תביעה' } },
  });
  t.equal(added.find('de-AT').texts.form.next, find('de').texts.form.next);
  t.equal(added.find('ar-EG').texts.form.next, find('ar').texts.form.next);
  t.equal(added.find('he').texts.form.next, en.form.next);
  const widget = createStandaloneWidget({ locales: { he: {} } });
  t.match(widget.renderForm({ ...formView(), locale: 'he' }).html, '<html lang="he" dir="rtl">');
});

t.test('unknown texts, other values and tags that are not BCP 47 are rejected, all at once', async (t) => {
  const locales = {
    de: { form: { titel: 'Schaden', title: 1, back: '{step} zurück' }, page: 'Seite' },
    'no language': {},
  } as unknown as Record<string, object>;
  t.throws(() => createStandaloneWidget({ locales }), {
    code: 'options_invalid',
    problems: [
      { pointer: '/locales/de/page', rule: 'type' },
      { pointer: '/locales/de/form/title', rule: 'type' },
      {
        pointer: '/locales/de/form/back',
        rule: 'value',
        detail: 'has an unknown placeholder; it can have: none',
      },
      { pointer: '/locales/de/form/titel', rule: 'unknown_option' },
      { pointer: '/locales/no language', rule: 'value' },
    ],
  });
});

t.test('a placeholder without a value stays, and a value is not filled in again', async (t) => {
  t.equal(fillIn('{a} {b} {c}', { a: '{b}', b: 2 }), '{b} 2 {c}');
});
