// Schema and rights of the tables: where they are, who may read and write them, and what hides their rows.
import { ClaimlinkError } from '../../core/errors.js';
import type { Execute } from './execute.js';
import type { TableNames } from './statements/tables.js';

/** The current role, and the roles that it belongs to. */
const OWN_ROLES = `WITH RECURSIVE own AS (
  SELECT oid FROM pg_roles WHERE rolname = current_user
  UNION SELECT roleid FROM pg_auth_members JOIN own ON member = own.oid
)`;

/** Returns a list of table ids for SQL. The names have no characters that need an escape. */
function idsOf({ prefix: _, ...tables }: TableNames): string {
  return Object.values(tables)
    .map((table) => `to_regclass('${table}')`)
    .join(', ');
}

/**
 * Returns the statement that creates a missing schema, or undefined if it exists. `CREATE SCHEMA IF NOT EXISTS` needs the
 * right to create schemas also if there is nothing to do.
 */
export async function missingSchema(execute: Execute, schema: string): Promise<string | undefined> {
  const [row] = await execute('SELECT count(*) AS count FROM pg_namespace WHERE nspname = $1::text', [
    schema,
  ]);
  return Number(row?.['count']) > 0 ? undefined : `CREATE SCHEMA IF NOT EXISTS "${schema}"`;
}

/** Returns the same for a person who runs it by hand. */
export function missingSchemaSql(schema: string): string {
  return `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN CREATE SCHEMA "${schema}"; END IF;
END $$`;
}

/**
 * Checks why tables that exist seem to be missing or empty. Without the right USAGE on a schema, its tables do not exist for
 * a role; row level security without a policy for the role hides all rows.
 * @throws `schema_mismatch`
 */
export async function assertVisible(execute: Execute, tables: TableNames, version: number): Promise<void> {
  const [hidden] = await execute(
    `${OWN_ROLES}
SELECT string_agg(relname, ', ' ORDER BY relname) AS names FROM pg_class c
WHERE c.oid IN (${idsOf(tables)}) AND row_security_active(c.oid) AND (${version === 0} OR NOT EXISTS (
  SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive
    AND (0 = ANY (p.polroles) OR p.polroles && ARRAY(SELECT oid FROM own))
))`,
  );
  if (hidden?.['names'])
    throw new ClaimlinkError(
      'schema_mismatch',
      `Row level security hides rows of ${hidden['names']} from this role. Give the role the right to all rows: a policy, or BYPASSRLS.`,
    );
  if (version > 0) return;
  const [elsewhere] = await execute(
    `SELECT string_agg(quote_ident(nspname), ', ' ORDER BY nspname) AS names
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE relname = '${tables.prefix}migrations' AND relkind IN ('r', 'p') AND to_regclass('${tables.migrations}') IS NULL`,
  );
  if (elsewhere?.['names'])
    throw new ClaimlinkError(
      'schema_mismatch',
      `The tables of claimlink are in the schema ${elsewhere['names']}, which this connection does not use. Name it by the option "schema", and give the role the right USAGE on it. Or run "claimlink migrate" for other tables.`,
    );
}

/** Warnings that this process has emitted. */
const emitted = new Set<string>();

/**
 * Warns of tables on which PUBLIC has a privilege, or which another role may write: default privileges of a hosted
 * database can give them to every caller of its HTTP API. Who owns the tables needs no right of a role that it belongs to,
 * so such a role counts as another one. Never throws: another database may lack these catalogues.
 */
export async function warnOfPrivileges(execute: Execute, tables: TableNames): Promise<void> {
  const [row] = await execute(
    `${OWN_ROLES}
SELECT string_agg(DISTINCT coalesce(rolname, 'PUBLIC'), ', ') AS role_names, string_agg(DISTINCT relname, ', ') AS table_names
FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE c.oid IN (${idsOf(tables)}) AND a.grantee <> c.relowner
  AND (a.grantee = 0 OR a.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'))
  AND coalesce(rolname, '') <> current_user
  AND NOT (a.grantee IN (SELECT oid FROM own) AND c.relowner NOT IN (SELECT oid FROM own))`,
  ).catch(() => []);
  if (!row?.['role_names']) return;
  const warning = `Roles beside this one have privileges on tables of claimlink: ${row['role_names']}, on ${row['table_names']}. They may read data of clients, or issue API keys. Revoke what they do not need: docs/postgres.md, "Other tools on the database".`;
  if (emitted.has(warning)) return;
  emitted.add(warning);
  process.emitWarning(warning, { type: 'ClaimlinkWarning', code: 'CLAIMLINK_TABLE_PRIVILEGES' });
}
