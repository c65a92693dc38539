// The tables of the documents whose rows come from the code. `npm run generate:docs` writes them.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { Command } from 'commander';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import { resolveBodyLimits } from '../../lib/adapters/request-body.js';
import { CLAIM_FIELDS, needOf } from '../../lib/core/claim-fields.js';
import { FIRST_DELAY_SECONDS, LEASE_SECONDS, MAX_DELAY_SECONDS } from '../../lib/core/delivery-attempt.js';
import { REQUEST_RULES } from '../../lib/core/errors.js';
import { resolveOptions } from '../../lib/core/options.js';
import { type PhotosOptions, resolvePhotos } from '../../lib/core/photo-options.js';
import { claimSubmissionSchema, linkRequestSchema } from '../../lib/core/schemas.js';
import { SETTINGS, type SettingTable } from '../../lib/core/settings.js';
import {
  type ClaimlinkOptions,
  createClaimlink,
  createLinkSigner,
  createMemoryStorage,
  createStandaloneWidget,
  ERRORS,
  isClaimlinkError,
  type LinkSignerOptions,
  TRACING_CHANNELS,
} from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { UNAVAILABLE } from '../../lib/storage/postgres/execute.js';
import { createPostgresStorage } from '../../lib/storage/postgres/index.js';
import { tableNames } from '../../lib/storage/postgres/statements/tables.js';
import { TABLE_PREFIX } from '../../lib/storage/sql/columns.js';
import { UNAVAILABLE as SQLITE_UNAVAILABLE } from '../../lib/storage/sqlite/execute.js';
import { createSqliteStorage } from '../../lib/storage/sqlite/index.js';
import { type ContractTarget, contractSuite } from '../../lib/testing/index.js';
import { FILLINGS, type LargestRecords, largestRecords } from '../../lib/testing/storage-suite/largest.js';
import { METHODS } from '../../mock-server/control/methods.js';
import { OPTION_SCHEMAS } from '../../mock-server/schemas/options.js';
import { resolveMockOptions } from '../../mock-server/state/options.js';
import { commandsOf } from '../cli/commands.js';
import { REPOSITORY } from '../repository.js';
import { type Row, readDocument, replaceTable } from './markdown.js';
import { code, memberRows, number, withNeed } from './member-rows.js';

const SOURCES = ['lib', 'mock-server'].flatMap((folder) =>
  readdirSync(new URL(folder, REPOSITORY), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readDocument(`${folder}/${path}`)),
);

/** Returns the members of an exported interface. The formatter indents each by two spaces. */
function declarationOf(name: string): { member: string; isOptional: boolean }[] {
  const declaration = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`, 'm');
  const [body] = SOURCES.flatMap((source) => declaration.exec(source)?.[1] ?? []);
  if (body === undefined) throw new Error(`There is no interface ${name}.`);
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)(\??)[:(]/gm)].map(([, member = '', mark]) => ({
    member,
    isOptional: mark === '?',
  }));
}

const membersOf = (name: string): string[] => declarationOf(name).map(({ member }) => member);

const rowsOf = (...interfaces: string[]): Row[] => interfaces.flatMap(membersOf).map((name) => [code(name)]);

interface Options {
  names: readonly string[];
  /** Values of required options. */
  required?: object;
  /** The options with their defaults. */
  defaults?: object;
  /** Throws for an invalid option. */
  create(values: object): unknown;
}

/** Returns a row for each option: its name, default and range. */
function optionRows({ names, required = {}, defaults = {}, create }: Options): Row[] {
  return names.map((name) => {
    const preset = name in required ? 'required' : presetCell((defaults as Record<string, unknown>)[name]);
    return [code(name), preset, rangeOf(name, (value) => create({ ...required, [name]: value }))];
  });
}

function presetCell(preset: unknown): string | undefined {
  if (typeof preset === 'number') return number(preset);
  return typeof preset === 'string' || typeof preset === 'boolean' ? code(String(preset)) : undefined;
}

/** The schema of an option of the mock, if it is a number. */
interface NumberSchema {
  readonly type?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: unknown;
}

/** Returns the range that the error of an option names, or that its schema has. */
function rangeOf(name: string, create: (value: number) => unknown): string {
  try {
    create(Number.NaN);
  } catch (error) {
    const [problem] = (isClaimlinkError(error) && error.problems) || [];
    const [, ...limits] = /, ([\d.]+) to ([\d.]+)(?:,|$)/.exec(problem?.detail ?? '') ?? [];
    if (limits.length > 0) return limits.map((limit) => number(Number(limit))).join(' to ');
  }
  const { [name]: schema = {} }: Readonly<Record<string, NumberSchema>> = { ...OPTION_SCHEMAS };
  const { type, minimum, maximum } = schema;
  return typeof type === 'string' && minimum !== undefined && maximum !== undefined
    ? `${number(minimum)} to ${number(maximum)}`
    : '';
}

/** The interfaces of each record that a storage keeps. */
const RECORDS: Readonly<Record<keyof LargestRecords, readonly string[]>> = {
  client: ['Client'],
  apiKey: ['ApiKey'],
  link: ['Link'],
  session: ['SessionRecord', 'Session'],
  event: ['SessionKey', 'EventRecord', 'DeliveryState'],
};

/** The members of a client whose length claimlink does not limit. */
const UNLIMITED = ['callbackOrigins', 'locale', 'frameAncestors', 'settings'];

/** Returns a row for each member that a storage keeps: its maximum, and whether it may be absent. */
function storedRows(): Row[] {
  const records = FILLINGS.map(([, filling]) => largestRecords(filling));
  return Object.entries(RECORDS).flatMap(([record, interfaces]) =>
    interfaces
      .flatMap(declarationOf)
      // Only a `LifeStorage` keeps them.
      .filter(({ member }) => member !== 'createdBy' && member !== 'type')
      .map(({ member, isOptional }): Row => {
        const values = records.map(
          (largest): unknown => ({ ...largest[record as keyof LargestRecords] })[member as never],
        );
        const maximum = UNLIMITED.includes(member) ? 'no limit' : storedMaximum(member, values);
        return [code(`${record}.${member}`), maximum, isOptional ? 'yes' : 'no'];
      }),
  );
}

function storedMaximum(member: string, values: readonly unknown[]): string {
  const [value] = values;
  if (member === 'date' || member.endsWith('At')) return 'time in milliseconds';
  if (typeof value === 'string') return number(value.length);
  if (typeof value !== 'object') return typeof value;
  const bytes = values.map((json) => Buffer.byteLength(JSON.stringify(json)));
  return `JSON of ${number(Math.max(...bytes))} bytes`;
}

/** Returns a row for each setting of a client: what it does, and its default. */
export function settingRows(settings: SettingTable): Row[] {
  return Object.entries(settings).map(([name, { effect, default: preset }]) => [
    code(name),
    preset === undefined ? effect : `${effect}. Default: ${preset}`,
  ]);
}

/** Returns a row for each option of commander. */
function flagRows(options: Command['options']): Row[] {
  return options.map(({ flags, envVar, defaultValue, defaultValueDescription, description }) => {
    const preset = defaultValueDescription ?? String(defaultValue ?? '');
    const cells = [code(flags), envVar ? code(envVar) : '', preset === '' ? '' : code(preset), description];
    return cells.map((cell) => cell.replaceAll('|', '\\|'));
  });
}

const COMMANDS = commandsOf();
const isOfDatabase = ({ helpGroupHeading }: Command['options'][number]) => helpGroupHeading === 'Database:';
const databaseOptions = COMMANDS.find(([name]) => name === 'sweep')?.[1].options.filter(isOfDatabase) ?? [];

const signerOptions: LinkSignerOptions = {
  keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }],
  issuer: 'https://claims.example.com',
};
const serviceOptions: ClaimlinkOptions = {
  storage: createMemoryStorage(),
  signer: createLinkSigner(signerOptions),
  publicUrl: 'https://claims.example.com',
};
const target: ContractTarget = { baseUrl: 'https://claims.example.com', clientId: 'acme', apiKey: 'clk_key' };
const claimlink = createClaimlink(serviceOptions);
const withPhotos = createClaimlink({ ...serviceOptions, photos: { store: createMemoryPhotoStore() } });
const database = { query: async () => ({ rows: [] }) };
const sqliteDatabase = {
  exec() {},
  prepare: () => ({ run: () => ({ changes: 0 }), all: () => [{ one: 1 }] }),
};
const traceRows = (channel: string, name: string): Row[] =>
  membersOf(name).map((member) => [code(channel), code(member)]);

/** The rows of each table by its page and its name. */
interface SeededFault {
  name: string;
  mistake: string;
  file: string;
  /** The code to replace. */
  search?: string;
  /** A key of BROKEN_STORAGES. */
  storage?: string;
  checks: readonly string[];
}

/** A promise, and a proof: see scripts/proofs.mjs. */
interface Promised {
  promise: string;
  basis: string;
  testedBy: readonly string[];
}
interface Proof {
  summary: string;
  forms: readonly string[];
  needs?: string;
  page: string;
  tests?: readonly string[];
  parts?: Readonly<Record<string, string>>;
}

/** What `npm run proof` proves, and how. */
export const {
  PROMISES,
  PROOFS,
}: { PROMISES: readonly Promised[]; PROOFS: Readonly<Record<string, Proof>> } = await import(
  new URL('scripts/proofs.mjs', REPOSITORY).href
);

/** The mistakes of `npm run proof -- faults`. */
export const { FAULTS }: { FAULTS: readonly SeededFault[] } = await import(
  new URL('scripts/seeded-faults/faults.mjs', REPOSITORY).href
);

const ROBUSTNESS = 'docs/evidence/robustness.md';

function photoOptionRows(): Row[] {
  const store = createMemoryPhotoStore();
  return optionRows({
    names: membersOf('PhotosOptions'),
    required: { store },
    defaults: resolvePhotos({ store }),
    create: (photos) => createClaimlink({ ...serviceOptions, photos: photos as PhotosOptions }),
  });
}

const TABLES: Readonly<Record<string, Readonly<Record<string, () => Row[]>>>> = {
  'docs/contract.md': {
    request: () => memberRows(linkRequestSchema),
    claim: () => memberRows(claimSubmissionSchema).map(withNeed),
    errors: () =>
      Object.entries(ERRORS).map(([name, [status, title]]) => [code(name), String(status), title]),
    rules: () => REQUEST_RULES.map((rule) => [code(rule)]),
  },
  'docs/commands.md': {
    'flags of the database': () => flagRows(databaseOptions),
    ...Object.fromEntries(
      COMMANDS.map(
        ([name, { options }]) => [name, options.filter((option) => !isOfDatabase(option))] as const,
      )
        .filter(([, options]) => options.length > 0)
        .map(([name, options]) => [name, () => flagRows(options)]),
    ),
  },
  'docs/control-api.md': {
    methods: () =>
      Object.entries(METHODS).map(([name, { summary, input, isRead }]) => {
        const members = Object.keys(input.properties).join(', ');
        return [isRead ? 'GET, POST' : 'POST', code(name), members, summary];
      }),
  },
  [ROBUSTNESS]: {
    promises: () =>
      PROMISES.map(({ promise, basis, testedBy }) => [
        promise,
        basis,
        testedBy.map((name) => (name === 'storage suite' ? name : code(name))).join(', '),
      ]),
    proofs: () =>
      Object.entries(PROOFS).map(([name, { summary, needs = '', page }]) => [
        code(name),
        summary,
        needs,
        page === ROBUSTNESS
          ? 'this page'
          : `[${posix.basename(page)}](${posix.relative('docs/evidence', page)})`,
      ]),
    'seeded faults': () =>
      FAULTS.map(({ name, mistake, checks }) => [code(name), mistake, checks.join('; ')]),
  },
  'docs/options.md': {
    options: () =>
      optionRows({
        names: membersOf('ClaimlinkOptions'),
        required: serviceOptions,
        defaults: { ...resolveOptions(serviceOptions, createStandaloneWidget), now: undefined },
        create: (values) => createClaimlink(values as ClaimlinkOptions),
      }),
    'signer-options': () =>
      optionRows({
        names: membersOf('LinkSignerOptions'),
        required: signerOptions,
        create: (values) => createLinkSigner(values as LinkSignerOptions),
      }),
    'adapter-options': () =>
      optionRows({
        names: [...membersOf('FetchHandlerOptions'), ...membersOf('BodyOptions')],
        defaults: resolveBodyLimits({}),
        create: (values) => createFetchHandler(claimlink, values),
      }),
    'postgres-options': () =>
      optionRows({
        names: [...membersOf('PostgresTableOptions'), ...membersOf('PostgresStorageOptions')],
        defaults: { tablePrefix: tableNames({}).prefix },
        create: (values) => createPostgresStorage(database, values),
      }),
    'sqlite-options': () =>
      optionRows({
        names: [...membersOf('SqliteTableOptions'), ...membersOf('SqliteStorageOptions')],
        defaults: { tablePrefix: TABLE_PREFIX, synchronous: 'full' },
        create: (values) => createSqliteStorage(sqliteDatabase, values),
      }),
    'photo-options': photoOptionRows,
    'cache-options': () =>
      optionRows({
        names: membersOf('CredentialCacheOptions'),
        create: (credentialCache) => createClaimlink({ ...serviceOptions, credentialCache }),
      }),
  },
  'docs/mock-tests.md': { 'logged-request': () => rowsOf('LoggedRequest') },
  'docs/mock.md': {
    'mock-options': () =>
      optionRows({
        names: membersOf('MockFetchOptions'),
        defaults: resolveMockOptions(),
        create: resolveMockOptions,
      }),
    'mock-server-options': () =>
      optionRows({
        names: membersOf('MockServerOptions'),
        defaults: { ...resolveMockOptions(), corsOrigins: undefined },
        create: resolveMockOptions,
      }),
  },
  'docs/check.md': {
    sections: () => {
      const cases = contractSuite(target);
      // The last entry of a key counts: some rules have advice of their own, the first ones do not.
      return [...new Map(cases.toReversed().map(({ section, advice }) => [section, advice]))].reverse();
    },
    'suite-options': () =>
      optionRows({
        names: membersOf('ContractTarget'),
        required: target,
        create: (values) => contractSuite(values as ContractTarget),
      }),
  },
  'docs/delivery.md': {
    delivery: () => [
      ['lease', number(LEASE_SECONDS)],
      ['first delay', number(FIRST_DELAY_SECONDS)],
      ['longest delay', number(MAX_DELAY_SECONDS)],
    ],
  },
  'docs/postgres.md': {
    unavailable: () =>
      Object.entries(UNAVAILABLE).map(([reason, errors]) => [reason, errors.map(code).join(', ')]),
  },
  'docs/sqlite.md': {
    unavailable: () =>
      SQLITE_UNAVAILABLE.map(([number, name, reason]) => [String(number), code(name), reason]),
  },
  'docs/storage-port.md': {
    methods: () => rowsOf('Storage').filter(([method]) => method !== code('close')),
    'admin-methods': () => rowsOf('AdminStorage'),
    'record-methods': () => rowsOf('RecordStorage'),
    'search-methods': () => rowsOf('SearchStorage'),
    'check-methods': () => rowsOf('CheckStorage'),
    'idempotency-methods': () => rowsOf('IdempotencyStorage'),
    'key-use-methods': () => rowsOf('KeyUseStorage'),
    'client-methods': () => rowsOf('ClientStorage'),
    'life-methods': () => rowsOf('LifeStorage'),
    'outbox-methods': () => rowsOf('OutboxStorage'),
    stored: storedRows,
  },
  'docs/client-settings.md': {
    'client-settings': () => settingRows(SETTINGS),
    'client-form': () => rowsOf('ClientForm'),
    'form-fields': () => CLAIM_FIELDS.map((field) => [code(field), code(needOf(undefined, field))]),
  },
  'docs/serve-pages.md': {
    'open-link': () => rowsOf('OpenLink'),
    submission: () => rowsOf('Submission'),
  },
  'docs/photos.md': { 'photo-limits': () => photoOptionRows().slice(1) },
  'docs/observability.md': {
    redacted: () =>
      [
        ['GET', '/acme/sessions/user-1'],
        ['POST', '/acme/link'],
        ['GET', '/verify/Xh3k?token=eyJh'],
        ['POST', '/verify/Xh3k/photos/3b1c?token=eyJh'],
        ['GET', '/acme/other/user-1'],
      ].map(([method = '', url = '']) => [
        code(`${method} ${url}`),
        code(`${method} ${withPhotos.redact({ method, url }).path}`),
      ]),
    traces: () => [
      ...traceRows(TRACING_CHANNELS.request, 'RequestTrace'),
      ...traceRows(TRACING_CHANNELS.storage, 'StorageTrace'),
      ...traceRows(TRACING_CHANNELS.delivery, 'DeliveryTrace'),
    ],
  },
};

/** Returns the documents with their tables: names, defaults and ranges of the code, and meanings of the document. */
export function generateTables(): [path: string, markdown: string][] {
  return Object.entries(TABLES).map(([path, tables]) => {
    let markdown = readDocument(path);
    for (const [name, rows] of Object.entries(tables)) markdown = replaceTable(markdown, name, rows());
    return [path, markdown];
  });
}
