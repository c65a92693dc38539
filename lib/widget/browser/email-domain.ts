// Finds the common email domain that a person may have meant.

/** Domains that people type often. The first ones have others in many countries. */
const COMMON =
  'hotmail.com outlook.com yahoo.com live.com gmail.com googlemail.com icloud.com gmx.net gmx.de gmx.at gmx.ch web.de t-online.de';
const IN_COUNTRIES = 4;
/** Domains near a common one that exist. */
const OTHERS = 'mail.com ymail.com email.com gmx.com';

/** `live.com`, and each domain with a shorter name, has at most so many letters. */
const LONG = 8;

/** The end of a domain of a country, but for what is left of `.com` when a letter is missing. */
const COUNTRY = /\.(?!co$|cm$|om$)(?:com?\.)?[a-z]{2}$/;

/** Returns the number of edits between two texts, or more than `most`: letters added, left out, replaced, or two of them swapped. */
function edits(a: string, b: string, most: number): number {
  if (a === b) return 0;
  const after = (left: number, right: number) => edits(a.slice(left), b.slice(right), most - 1);
  if (a[0] === b[0]) return edits(a.slice(1), b.slice(1), most);
  if (most === 0) return 1;
  const swapped = a[0] === b[1] && a[1] === b[0] ? after(2, 2) : most;
  return 1 + Math.min(after(1, 0), after(0, 1), after(1, 1), swapped);
}

/**
 * Returns the common domain that is one edit from a domain, or two. Two edits count only in a domain of nine letters
 * and more with the same first one: `bmw.de` is not `gmx.de`.
 */
export function commonDomainNear(typed: string): string | undefined {
  const domain = typed.toLowerCase();
  const [ending] = COUNTRY.exec(domain) ?? [];
  const common = COMMON.split(' ');
  if (ending) common.push(...common.slice(0, IN_COUNTRIES).map((other) => other.replace('.com', ending)));
  if ([...common, ...OTHERS.split(' ')].includes(domain)) return undefined;
  let best: string | undefined;
  let least = 3;
  for (const other of common) {
    const most = domain[0] === other[0] && other.length > LONG ? 2 : 1;
    const count = edits(domain, other, most);
    if (count > most || count >= least) continue;
    best = other;
    least = count;
  }
  return best;
}
