// Finds the common email domain that a person may have meant.

const FAMILIES = 'hotmail outlook live yahoo gmx';
const ENDINGS = 'com de at ch fr it es nl be se dk fi pl cz pt net co.uk';
const COMMON =
  'gmail.com googlemail.com icloud.com web.de t-online.de freenet.de';
/** Domains near a common one that exist. */
const OTHERS = 'mail.com ymail.com mail.de gmail.de';

const endings = ENDINGS.split(' ');
const common = [
  ...COMMON.split(' '),
  ...FAMILIES.split(' ').flatMap((name) => endings.map((ending) => `${name}.${ending}`)),
];

/** Returns the number of edits between two texts, or more than `most`: letters added, left out, replaced, or two of them swapped. */
function edits(a: string, b: string, most: number): number {
  let same = 0;
  while (a[same] && a[same] === b[same]) same++;
  const [x, y] = [a.slice(same), b.slice(same)];
  if (x === y) return 0;
  if (most === 0) return 1;
  const after = (left: number, right: number) => edits(x.slice(left), y.slice(right), most - 1);
  const swapped = x[0] === y[1] && x[1] === y[0] ? after(2, 2) : most;
  return 1 + Math.min(after(1, 0), after(0, 1), after(1, 1), swapped);
}

/**
 * Returns the common domain that is one edit from a domain, or two. Two edits count only in a name of five letters and
 * more with the same first letter: `bmw.de` is not `gmx.de`.
 */
export function commonDomainNear(typed: string): string | undefined {
  const domain = typed.toLowerCase();
  if ([...common, ...OTHERS.split(' ')].includes(domain)) return undefined;
  let [best, least]: [string | undefined, number] = [undefined, 3];
  for (const other of common) {
    const most = domain[0] === other[0] && other.indexOf('.') > 4 ? 2 : 1;
    const count = edits(domain, other, most);
    if (count <= most && count < least) [best, least] = [other, count];
  }
  return best;
}
