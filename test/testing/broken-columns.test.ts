// The storage suite detects each column that is too small for what claimlink stores in it.
import t from 'tap';
import {
  extraProblem,
  hasLevels,
  parseClaimSubmission,
  parseLinkRequest,
} from '../../lib/core/validators.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';
import {
  deepestExtra,
  FILLINGS,
  largestRecords,
  largestRequests,
} from '../../lib/testing/storage-suite/largest.js';
import { failedCases } from './run-cases.js';

type Path = readonly (string | number)[];

const RULES = { callbackProblem: () => undefined };
/** The incident is before it. */
const TIME = new Date('2027-01-01');
const INVALID = { code: 'request_invalid' };

for (const [what, filling] of FILLINGS)
  t.test(`claimlink accepts the largest requests of the suite, and no larger ones: ${what}`, async (t) => {
    const { link, claim } = largestRequests(filling);
    t.strictSame(parseLinkRequest(link, RULES), link);
    t.strictSame(parseClaimSubmission(claim, TIME), claim);
    const lengthen = (value: string | unknown[]) =>
      typeof value === 'string' ? `${value}x` : [...value, value[0]];
    for (const path of pathsOf(link))
      t.throws(() => parseLinkRequest(changeAt(link, path, lengthen), RULES), INVALID, path.join('.'));
    for (const path of pathsOf(claim))
      t.throws(() => parseClaimSubmission(changeAt(claim, path, lengthen), TIME), INVALID, path.join('.'));
  });

t.test('claimlink accepts the deepest extra of the suite, and no deeper one', async (t) => {
  t.equal(extraProblem(deepestExtra()), undefined);
  t.match(extraProblem({ inner: deepestExtra() }), { rule: 'size' });
});

const { client, apiKey, link, session, event } = largestRecords({ text: 'x', id: 'x' });
const { clientId: _, userId: __, ...submitted } = session;
const { status, camsReference } = session;

/** What each method stores, and the cases about it. */
const STORED: Readonly<Record<string, { written: object; detectedBy: RegExp }>> = {
  insertClient: { written: client, detectedBy: /^a client with each text/ },
  updateClient: {
    written: { name: client.name, branding: client.branding },
    detectedBy: /^a client with each text/,
  },
  insertApiKey: { written: apiKey, detectedBy: /^an API key with each text/ },
  insertLink: { written: link, detectedBy: /^a link with each text/ },
  insertSession: { written: session, detectedBy: /^a session with each text/ },
  submitLink: {
    written: { session: submitted, event: { id: event.id } },
    detectedBy: /^(?:the session of a submission|an event) with each text/,
  },
  postponeEvent: { written: { reason: event.reason }, detectedBy: /^an event with each text/ },
  updateSession: { written: { status, camsReference }, detectedBy: /^a change of a session with each text/ },
};

for (const [method, { written, detectedBy }] of Object.entries(STORED))
  for (const path of pathsOf(written)) {
    const { length } = valueAt(written, path);
    t.test(
      `a storage whose ${method} keeps ${length - 1} of ${length} of ${path.join('.')} fails`,
      async (t) => {
        const cut = (value: string | unknown[]) => value.slice(0, length - 1);
        const failed = await failedWith(method, detectedBy, (record) => changeAt(record, path, cut));
        t.not(failed.length, 0);
      },
    );
  }

t.test('a storage whose JSON columns have 65,535 bytes fails the case of the longest config', async (t) => {
  const mustFit = (record: object) => {
    for (const value of Object.values(record))
      if (Buffer.byteLength(JSON.stringify(value)) > 65_535) throw new Error('Data too long for column');
    return record;
  };
  const failed = await failedWith('insertLink', /^a link with each text/, mustFit);
  t.match(failed, [/six characters of JSON a code unit$/]);
});

t.test('a storage whose JSON columns have 32 levels fails the case about levels', async (t) => {
  const mustFit = (record: object) => {
    if (!Object.values(record).every((value) => hasLevels(value, 32)))
      throw new Error('JSON nested too deep');
    return record;
  };
  const ofSubmission = ({ session, ...submission }: { session: object }) => ({
    ...submission,
    session: mustFit(session),
  });
  const detectedBy = /^extra with its greatest number of levels/;
  t.equal((await failedWith('insertLink', detectedBy, mustFit)).length, 1, 'config');
  t.equal((await failedWith('submitLink', detectedBy, ofSubmission as typeof mustFit)).length, 1, 'link');
});

/** Runs cases over a storage that changes what a method stores. Returns the names of those that fail. */
async function failedWith(
  method: string,
  detectedBy: RegExp,
  change: (record: object) => object,
): Promise<string[]> {
  const cases = storageSuite(() => {
    const working = createMemoryStorage();
    const write = (working as unknown as Record<string, (record: object) => unknown>)[method];
    return { ...working, [method]: (record: object) => write?.(change(record)) };
  });
  return failedCases(cases.filter(({ name }) => detectedBy.test(name)));
}

/** Returns the paths of the texts and lists in a record. Of a list, its first entry stands for all. */
function pathsOf(value: unknown): Path[] {
  if (typeof value === 'string') return [[]];
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  const entries = Array.isArray(value) ? [[0, value[0]] as const] : Object.entries(value);
  const inner = entries.flatMap(([key, member]) => pathsOf(member).map((path) => [key, ...path]));
  return Array.isArray(value) ? [[], ...inner] : inner;
}

function valueAt(record: unknown, path: Path): string | unknown[] {
  return path.reduce((value, key) => (value as Record<string | number, unknown>)[key], record) as string;
}

/** Returns a copy of a record with another value at a path, or the record if it has no such member. */
function changeAt<T>(record: T, [key, ...path]: Path, change: (value: string | unknown[]) => unknown): T {
  if (record === undefined) return record;
  if (key === undefined) return change(record as string) as T;
  if (Array.isArray(record))
    return record.with(Number(key), changeAt(record[Number(key)], path, change)) as T;
  const inner = changeAt((record as Record<string, unknown>)[key], path, change);
  return { ...record, ...(inner !== undefined && { [key]: inner }) };
}
