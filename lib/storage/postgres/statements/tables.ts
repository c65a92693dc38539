// The options that name the tables of the PostgreSQL storage, and their names in statements.
import { assertOptions, type OptionCheck } from '../../../core/assert-options.js';
import { mustBeIdentifier, TABLE_PREFIX } from '../../sql/columns.js';

/** Names of the tables. */
export interface PostgresTableOptions {
  /** Schema of the tables; `migrate` creates it. Default: the first of the connection's search_path. */
  schema?: string;
  /** Prefix of table and index names: lower-case letters, digits, underscores. Default: `claimlink_`. */
  tablePrefix?: string;
}

/** Quoted and qualified names of the tables. */
export interface TableNames {
  clients: string;
  apiKeys: string;
  sessions: string;
  links: string;
  /** Number of submissions of each client: it gives sessions their order of submission. */
  sequences: string;
  /** The events that are not delivered yet. */
  outbox: string;
  /** The events of submissions, for code of 0.2: a view of `outbox`. */
  events: string;
  /** The events of links and of deletions, for code of 0.2: a view of `outbox`. */
  lifeEvents: string;
  /** The types of events that the host chose. */
  eventTypes: string;
  migrations: string;
  versions: string;
  /** Prefix of index names, which are not qualified. */
  prefix: string;
}

/** The checks of the options that name the tables. */
export const TABLE_CHECKS: Readonly<Record<keyof PostgresTableOptions, OptionCheck>> = {
  schema: mustBeIdentifier,
  tablePrefix: mustBeIdentifier,
};

/** Returns the names of the tables. @throws `options_invalid` for an unknown or invalid option. */
export function tableNames(options: PostgresTableOptions, checks = TABLE_CHECKS): TableNames {
  assertOptions(options, checks);
  const { schema, tablePrefix = TABLE_PREFIX } = options;
  const qualify = (table: string) => `${schema === undefined ? '' : `"${schema}".`}"${tablePrefix}${table}"`;
  return {
    clients: qualify('clients'),
    apiKeys: qualify('api_keys'),
    sessions: qualify('sessions'),
    links: qualify('links'),
    sequences: qualify('sequences'),
    outbox: qualify('outbox'),
    events: qualify('events'),
    lifeEvents: qualify('life_events'),
    eventTypes: qualify('event_types'),
    migrations: qualify('migrations'),
    versions: qualify('versions'),
    prefix: tablePrefix,
  };
}
