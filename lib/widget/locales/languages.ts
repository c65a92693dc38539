// The languages of the pages: the shipped ones, with the changes of a host.
import { optionProblems } from '../../core/assert-options.js';
import { isCanonicalTag } from '../../core/client-form.js';
import { invalidOptions, type Problem } from '../../core/errors.js';
import { ar } from './ar.js';
import { cs } from './cs.js';
import { da } from './da.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fi } from './fi.js';
import { fr } from './fr.js';
import { it } from './it.js';
import { nl } from './nl.js';
import { pl } from './pl.js';
import { pt } from './pt.js';
import { sv } from './sv.js';
import type { Texts } from './texts.js';

/** Some of the texts. The others stay as shipped, or English in a language that claimlink does not have. */
export type TextChanges = Changes<Texts>;

type Changes<T> = { readonly [Name in keyof T]?: T[Name] extends string ? string : Changes<T[Name]> };

/** Texts and the BCP 47 tag of their language. */
export interface Language {
  locale: string;
  texts: Texts;
  /** Tags of all languages of the widget with their names, each in its language. */
  names: readonly (readonly [tag: string, name: string])[];
}

const DEFAULT_LOCALE = 'en';
const SHIPPED: Readonly<Record<string, Texts>> = { en, ar, cs, da, de, es, fi, fr, it, nl, pl, pt, sv };

const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi']);

/** Returns the value of the `dir` attribute of a page. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale.split('-', 1)[0] ?? '') ? 'rtl' : 'ltr';
}

/** The languages of one widget. */
export interface Languages {
  /** The tags, English first. */
  readonly locales: readonly string[];
  /** Returns the language with this tag, or English. */
  find(locale: string | undefined): Language;
}

/**
 * Returns the shipped languages with the changes of a host.
 * @throws `options_invalid` for a tag that is not BCP 47, an unknown text, and a text that is not a string.
 */
export function createLanguages(changes: Readonly<Record<string, TextChanges>> = {}): Languages {
  const problems: Problem[] = [];
  const languages = new Map(Object.entries(SHIPPED));
  for (const [locale, changed] of Object.entries(changes)) {
    const pointer = `/locales/${locale}`;
    const base = languages.get(locale) ?? languages.get(locale.split('-', 1)[0] ?? '') ?? en;
    if (isCanonicalTag(locale)) languages.set(locale, merge(base, changed, pointer, problems));
    else
      problems.push({ pointer, rule: 'value', detail: 'must be a BCP 47 language tag, such as de or pt-BR' });
  }
  if (problems.length > 0) throw invalidOptions(problems);
  const locales = [...languages.keys()];
  const names = locales.map((tag) => [tag, nameOf(tag)] as const);
  return {
    locales,
    find(locale = DEFAULT_LOCALE) {
      const texts = languages.get(locale);
      return texts === undefined
        ? { locale: DEFAULT_LOCALE, texts: languages.get(DEFAULT_LOCALE) ?? en, names }
        : { locale, texts, names };
    },
  };
}

/** Returns the name of a language in this language, as in a list of its own: "Français". */
function nameOf(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.replace(/^./u, (letter) => letter.toLocaleUpperCase(tag));
}

function placeholders(text: string): readonly string[] {
  return text.match(/\{\w+\}/g) ?? [];
}

/** Returns a copy of the texts with the changes. Reports what is not a text. */
function merge<T extends object>(texts: T, changes: object, pointer: string, problems: Problem[]): T {
  const merged = Object.entries(texts).map(([name, text]) => {
    const change: unknown = Object(changes)[name];
    const place = `${pointer}/${name}`;
    if (change === undefined) return [name, text];
    if (typeof text === 'object') return [name, merge(text, change as object, place, problems)];
    if (typeof change !== 'string')
      problems.push({ pointer: place, rule: 'type', detail: 'must be a string' });
    else if (placeholders(change).some((placeholder) => !placeholders(String(text)).includes(placeholder))) {
      const allowed = placeholders(String(text)).join(', ') || 'none';
      problems.push({
        pointer: place,
        rule: 'value',
        detail: `has an unknown placeholder; it can have: ${allowed}`,
      });
    }
    return [name, change];
  });
  problems.push(...optionProblems(changes, Object.keys(texts), { pointer }));
  return Object.fromEntries(merged);
}
