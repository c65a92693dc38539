// Tables of errors, rules and options are equal to the code. commands.test.ts has the flags.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { createFetchHandler, type FetchHandlerOptions } from '../../lib/adapters/fetch.js';
import { resolveBodyLimits } from '../../lib/adapters/request-body.js';
import { FIRST_DELAY_SECONDS, LEASE_SECONDS, MAX_DELAY_SECONDS } from '../../lib/core/delivery.js';
import { REQUEST_RULES } from '../../lib/core/errors.js';
import { OPTION_NAMES, resolveOptions } from '../../lib/core/options.js';
import { claimSubmissionSchema, linkRequestSchema } from '../../lib/core/schemas.js';
import {
  type AdminStorage,
  type ClaimlinkOptions,
  type CredentialCacheOptions,
  cacheCredentials,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  createStandaloneWidget,
  ERRORS,
  type LinkSignerOptions,
  type OutboxStorage,
  type RecordStorage,
  type RequestTrace,
  type Storage,
  type StorageTrace,
  TRACING_CHANNELS,
} from '../../lib/index.js';
import {
  createPostgresStorage,
  migrationSql,
  type PostgresStorageOptions,
} from '../../lib/storage/postgres/index.js';
import { type ContractTarget, contractSuite } from '../../lib/testing/index.js';
import {
  type MockServerOptions,
  type MockWorldOptions,
  resolveMockOptions,
} from '../../mock-server/options.js';
import { readDocument, tableOf } from './markdown.js';

const contract = readDocument('docs/contract.md');

t.test('the table of errors has every code with its status and title', async (t) => {
  const expected = Object.entries(ERRORS).map(([code, [status, title]]) => [code, String(status), title]);
  t.same(tableOf(contract, 'errors'), expected);
});

t.test('the table of rules names every rule of a response', async (t) => {
  t.same(
    tableOf(contract, 'rules').map(([rule]) => rule),
    REQUEST_RULES,
  );
});

t.test(
  'the table of WCAG 2.2 has each criterion of A and AA, with a status, a reason and methods',
  async (t) => {
    const report = readDocument('docs/accessibility.md');
    const methods = new Set(tableOf(report, 'methods').map(([method]) => method));
    const criteria = tableOf(report, 'criteria');
    for (const [criterion = '', level, status = '', reason, by = ''] of criteria) {
      t.match(criterion, /^[1-4]\.\d\.\d+ [A-Z]/);
      t.match(status, /^(?:supports|partial|not applicable)$/, criterion);
      t.ok(level && reason, criterion);
      t.ok(
        by.split(', ').every((method) => methods.has(method)),
        `${criterion}: ${by}`,
      );
    }
    const countOf = (wanted: string) => criteria.filter(([, level]) => level === wanted).length;
    t.same([countOf('A'), countOf('AA')], [31, 24], 'without the obsolete 4.1.1');
    t.equal(new Set(criteria.map(([criterion]) => criterion)).size, 55);
  },
);

const signerOptions: LinkSignerOptions = {
  keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
  issuer: 'https://claims.example.com',
};
const serviceOptions: ClaimlinkOptions = {
  storage: createMemoryStorage(),
  signer: createLinkSigner(signerOptions),
  publicUrl: 'https://claims.example.com',
};
const suiteOptions = { baseUrl: 'https://claims.example.com', clientId: 'acme', apiKey: 'clk_key' };
const database = { query: async () => ({ rows: [] }) };

/** A table of options and the code that it describes. */
interface OptionTable {
  /** Default: docs/options.md. */
  page?: string;
  name: string;
  /** Names of the options in the code. */
  names: readonly string[];
  /** Values of required options. */
  required: object;
  /** Default values that are numbers, booleans or texts. */
  defaults: object;
  /** Throws for an invalid option. */
  create(values: object): unknown;
}

/** Compiles only if the object names every option of a type. */
function namesOf<T>(names: Record<keyof T, true>): string[] {
  return Object.keys(names);
}

const { userCount, latencyMs, errorRate, port, control } = resolveMockOptions();

const TABLES: readonly OptionTable[] = [
  {
    name: 'options',
    names: OPTION_NAMES,
    required: serviceOptions,
    defaults: resolveOptions(serviceOptions, createStandaloneWidget),
    create: (values) => createClaimlink(values as ClaimlinkOptions),
  },
  {
    name: 'signer-options',
    names: namesOf<LinkSignerOptions>({ keys: true, issuer: true, clockToleranceSeconds: true }),
    required: signerOptions,
    defaults: { clockToleranceSeconds: 0 },
    create: (values) => createLinkSigner(values as LinkSignerOptions),
  },
  {
    name: 'adapter-options',
    names: namesOf<FetchHandlerOptions>({ basePath: true, bodyLimitBytes: true, bodyTimeoutSeconds: true }),
    required: {},
    defaults: resolveBodyLimits({}),
    create: (values) => createFetchHandler(createClaimlink(serviceOptions), values),
  },
  {
    name: 'cache-options',
    names: namesOf<CredentialCacheOptions>({ maxAgeSeconds: true, maxEntries: true, now: true }),
    required: {},
    defaults: { maxAgeSeconds: 30, maxEntries: 10_000 },
    create: (values) => cacheCredentials(serviceOptions.storage, values),
  },
  {
    name: 'postgres-options',
    names: namesOf<PostgresStorageOptions>({ schema: true, tablePrefix: true, prepareStatements: true }),
    required: {},
    defaults: { tablePrefix: /"(\w+)clients"/.exec(migrationSql())?.[1], prepareStatements: false },
    create: (values) => createPostgresStorage(database, values),
  },
  {
    page: 'docs/mock.md',
    name: 'mock-options',
    names: namesOf<MockWorldOptions>({
      publicUrl: true,
      seed: true,
      refDate: true,
      clients: true,
      clientCount: true,
      userCount: true,
      sessionCount: true,
      scenario: true,
      now: true,
      latencyMs: true,
      errorRate: true,
      faults: true,
    }),
    required: {},
    defaults: { clientCount: 1, userCount, latencyMs, errorRate },
    create: resolveMockOptions,
  },
  {
    page: 'docs/mock.md',
    name: 'mock-server-options',
    names: namesOf<Omit<MockServerOptions, keyof MockWorldOptions>>({
      port: true,
      host: true,
      log: true,
      logStream: true,
      persistFile: true,
      corsOrigins: true,
      tls: true,
      control: true,
      controlToken: true,
    }),
    required: {},
    defaults: { port, control },
    create: resolveMockOptions,
  },
  {
    page: 'docs/check.md',
    name: 'suite-options',
    names: namesOf<ContractTarget>({
      baseUrl: true,
      clientId: true,
      apiKey: true,
      userId: true,
      callbackUrl: true,
      otherClientId: true,
      linkOrigin: true,
      fetch: true,
      timeoutSeconds: true,
    }),
    required: suiteOptions,
    defaults: { timeoutSeconds: 10 },
    create: (values) => contractSuite(values as ContractTarget),
  },
];

/** Returns the value of a cell: `86,400` is a number, `false` a boolean. */
function parseCell(cell: string): unknown {
  if (cell === 'false' || cell === 'true') return cell === 'true';
  return /^[\d.,]+$/.test(cell) ? Number(cell.replaceAll(',', '')) : cell;
}

function checkRange(t: Test, { required, create }: OptionTable, name: string, range: string): void {
  const [minimum, maximum] = range.split(' to ').map(parseCell);
  if (typeof minimum !== 'number' || typeof maximum !== 'number') throw new Error(`${name}: ${range}`);
  const createWith = (value: number) => () => create({ ...required, [name]: value });
  for (const value of [minimum, maximum]) t.doesNotThrow(createWith(value), `${name}: ${value} is accepted`);
  // A step that keeps whole numbers whole: otherwise the option is refused for another reason.
  const step = Number.isInteger(minimum) ? 1 : 0.01;
  for (const value of [minimum - step, maximum + 1])
    t.throws(createWith(value), { code: 'options_invalid' }, `${name}: ${value} is refused`);
}

for (const table of TABLES) {
  t.test(`the table ${table.name} has every option with its default and range`, async (t) => {
    const rows = tableOf(readDocument(table.page ?? 'docs/options.md'), table.name);
    t.same(rows.map(([name]) => name).sort(), [...table.names].sort());
    for (const [name = '', preset = '', range = ''] of rows) {
      if (preset === 'required') {
        const { [name]: _, ...others } = table.required as Record<string, unknown>;
        t.throws(() => table.create(others), { code: 'options_invalid' }, `${name} is required`);
      }
      const expected = (table.defaults as Record<string, unknown>)[name];
      if (['number', 'boolean'].includes(typeof expected)) t.equal(parseCell(preset), expected, name);
      if (range !== '') checkRange(t, table, name, range);
      else t.not(typeof expected, 'number', `${name} is a number, so the table has its range`);
    }
  });
}

t.test('the table of delivery has the lease and the delays', async (t) => {
  t.same(
    tableOf(readDocument('docs/delivery.md'), 'delivery').map(([value, seconds = '']) => [
      value,
      parseCell(seconds),
    ]),
    [
      ['lease', LEASE_SECONDS],
      ['first delay', FIRST_DELAY_SECONDS],
      ['longest delay', MAX_DELAY_SECONDS],
    ],
  );
});

t.test('the default prefix of tables is that of the migrations', async (t) => {
  const row = tableOf(readDocument('docs/options.md'), 'postgres-options').find(
    ([name]) => name === 'tablePrefix',
  );
  t.match(migrationSql(), `"${row?.[1]}clients"`);
});

t.test('the table of sections has every section of the contract suite with its advice', async (t) => {
  const cases = contractSuite(suiteOptions);
  const expected = new Map(cases.map(({ section, advice }) => [section, advice]));
  t.same(tableOf(readDocument('docs/check.md'), 'sections'), [...expected]);
});

/** The parts of a JSON Schema that the tables of members show. */
interface Schema {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A member as the table shows it: its path, whether it is required, and the start of its value. */
type MemberRow = [path: string, required: string, value: string];

/** Returns each member of a value that a schema describes. */
function membersOf(schema: Schema, path = ''): MemberRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]): MemberRow[] => {
    const inner = member.items ?? member;
    const memberPath = `${path}${name}${member.items === undefined ? '' : '[]'}`;
    if (inner.properties !== undefined) return membersOf(inner, `${memberPath}.`);
    return [[memberPath, schema.required?.includes(name) ? 'yes' : 'no', limitOf(inner)]];
  });
}

function limitOf({ type, format, minLength, maxLength = 0 }: Schema): string {
  if (type === 'object' || type === 'boolean') return type;
  const limit = `${maxLength.toLocaleString('en')} characters`;
  if (format === 'date') return 'calendar date';
  return minLength === undefined ? `up to ${limit}` : `${minLength} to ${limit}`;
}

for (const [name, schema] of [
  ['request', linkRequestSchema],
  ['claim', claimSubmissionSchema],
] as const)
  t.test(`the table of a ${name} has every member with its limits`, async (t) => {
    const rows = tableOf(contract, name);
    const expected = membersOf(schema);
    t.same(
      rows.map(([path, required, value = ''], index) => [
        path,
        required,
        value.slice(0, expected[index]?.[2].length),
      ]),
      expected,
    );
  });

t.test('the tables of storage methods have every method of the ports', async (t) => {
  const storage = readDocument('docs/storage.md');
  const methodsIn = (name: string) =>
    tableOf(storage, name)
      .flatMap(([methods = '']) => methods.split(', '))
      .sort();
  const ofStorage = namesOf<Omit<Storage, 'close'>>({
    findCredentials: true,
    findClient: true,
    listSessions: true,
    insertLink: true,
    findLink: true,
    markLinkOpened: true,
    submitLink: true,
    revokeLink: true,
    deleteExpiredLinks: true,
  });
  const ofAdminStorage = namesOf<Omit<AdminStorage, keyof Storage>>({
    insertClient: true,
    updateClient: true,
    deleteClient: true,
    listClients: true,
    insertApiKey: true,
    revokeApiKey: true,
    findApiKey: true,
    updateApiKey: true,
    listApiKeys: true,
    insertSession: true,
  });
  const ofRecordStorage = namesOf<RecordStorage>({
    updateSession: true,
    listLinks: true,
    revokeLinks: true,
    listClientSessions: true,
    deleteUser: true,
    deleteSessions: true,
    dropLinkData: true,
  });
  t.same(methodsIn('methods'), ofStorage.sort());
  t.same(methodsIn('admin-methods'), ofAdminStorage.sort());
  t.same(methodsIn('record-methods'), ofRecordStorage.sort());
  const ofOutboxStorage = namesOf<OutboxStorage>({
    leaseEvents: true,
    settleEvent: true,
    postponeEvent: true,
    countEvents: true,
    listEvents: true,
    retryEvents: true,
  });
  t.same(methodsIn('outbox-methods'), ofOutboxStorage.sort());
});

t.test('the table of redacted requests shows what redact returns', async (t) => {
  const claimlink = createClaimlink(serviceOptions);
  const rows = tableOf(readDocument('docs/observability.md'), 'redacted');
  t.ok(rows.length >= 3);
  for (const [request = '', redacted = ''] of rows) {
    const [method = '', url = ''] = request.split(' ');
    t.equal(`${method} ${claimlink.redact({ method, url }).path}`, redacted, request);
  }
});

t.test('the table of traces has every member of the contexts', async (t) => {
  const rows = tableOf(readDocument('docs/observability.md'), 'traces');
  const request = namesOf<RequestTrace>({
    operation: true,
    clientId: true,
    status: true,
    code: true,
    durationMs: true,
  });
  const storage = namesOf<StorageTrace>({ method: true, clientId: true, code: true, durationMs: true });
  t.same(
    rows.map(([channel, member]) => [channel, member]),
    [
      ...request.map((member) => [TRACING_CHANNELS.request, member]),
      ...storage.map((member) => [TRACING_CHANNELS.storage, member]),
    ],
  );
});
