// The migration that makes one table of the two tables of events of 0.2, with views in their place.
import type { TableNames } from './statements/tables.js';

/** Wraps statements about the tables of events of 0.2: they do nothing where the one table has taken their place. */
export function beforeOutbox(outbox: string, ...statements: string[]): string {
  return `DO $$ BEGIN
IF to_regclass('${outbox}') IS NOT NULL THEN RETURN; END IF;
${statements.map((statement) => `${statement};\n`).join('')}END $$`;
}

/**
 * Returns the statement that renames the table of life events to the outbox, moves the events of submissions to it, and
 * creates updatable views with the old names: code of 0.2 reads and writes the same rows through them.
 *
 * - Code of 0.2 locks `events` before `life_events`, and so does this statement.
 * - Above READ COMMITTED, a transaction does not see what others commit while it waits for the locks. Then it begins again.
 * - A view has the owner and the rights of the table that it replaces, without rights on single columns. The outbox has the
 *   rights of both tables.
 * - Each kind of events has an index of those that are due: a lease of one kind, and code of 0.2, must not read a backlog of
 *   the other kind.
 * - Row level security: `security_invoker` applies the policies of the outbox to who uses a view. PostgreSQL 13 and 14 do not
 *   have it.
 */
export function createOutbox({ outbox, events, lifeEvents, prefix }: TableNames): string {
  return `DO $$
DECLARE
  old_tables oid[];
  grants text[];
  owner oid;
  item record;
  secured integer;
  has_invoker constant boolean := current_setting('server_version_num')::integer >= 150000;
BEGIN
IF to_regclass('${outbox}') IS NOT NULL THEN RETURN; END IF;
IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
  COMMIT;
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
END IF;
LOCK TABLE ${events}, ${lifeEvents} IN ACCESS EXCLUSIVE MODE;
-- Another process may have migrated meanwhile.
IF to_regclass('${outbox}') IS NOT NULL THEN RETURN; END IF;

old_tables := ARRAY[to_regclass('${events}'), to_regclass('${lifeEvents}')]::oid[];
SELECT count(*) FILTER (WHERE relrowsecurity) INTO secured FROM pg_class WHERE oid = ANY (old_tables);
IF secured = 1 THEN
  RAISE EXCEPTION 'Row level security is on for one of the tables ${prefix}events and ${prefix}life_events: switch it on or off for both.';
ELSIF secured = 2 AND NOT has_invoker THEN
  RAISE EXCEPTION 'Before PostgreSQL 15, row level security does not hold for views. Revoke the rights of other roles on the tables ${prefix}events and ${prefix}life_events, and switch it off for both.';
END IF;
SELECT relowner INTO owner FROM pg_class WHERE oid = old_tables[2];
SELECT array_agg(format('GRANT %s ON %s TO %s%s', privilege_type, target, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END,
  CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END))
INTO grants
FROM pg_class c, aclexplode(coalesce(relacl, acldefault('r', relowner))),
  LATERAL (VALUES ('${outbox}'), (CASE c.oid WHEN old_tables[1] THEN '${events}' ELSE '${lifeEvents}' END)) names (target)
WHERE c.oid = ANY (old_tables) AND grantee <> owner;

ALTER TABLE ${lifeEvents} RENAME TO "${prefix}outbox";
-- An index is faster created than changed for each event.
FOR item IN
  SELECT indexrelid::regclass AS name, indisprimary, replace(relname, 'life_events', 'outbox') AS new_name
  FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = old_tables[2] AND starts_with(relname, '${prefix}life_events_')
LOOP
  IF item.indisprimary THEN
    EXECUTE format('ALTER INDEX %s RENAME TO %I', item.name, item.new_name);
  ELSE
    EXECUTE format('DROP INDEX %s', item.name);
  END IF;
END LOOP;
ALTER TABLE ${outbox}
  ADD COLUMN reference text COLLATE "C",
  ALTER COLUMN type SET DEFAULT 'claim.submitted',
  ALTER COLUMN occurred_at DROP NOT NULL,
  ALTER COLUMN data DROP NOT NULL;
INSERT INTO ${outbox} (event_id, type, client_id, reference, attempts, next_attempt_at, failed_at, reason)
SELECT event_id, 'claim.submitted', client_id, reference, attempts, next_attempt_at, failed_at, reason FROM ${events} ORDER BY event_id;
DROP TABLE ${events};
CREATE INDEX "${prefix}outbox_by_next_attempt" ON ${outbox} (next_attempt_at) WHERE failed_at IS NULL;
CREATE INDEX "${prefix}outbox_by_failure" ON ${outbox} (failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX "${prefix}outbox_by_user" ON ${outbox} (client_id, user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX "${prefix}outbox_by_session" ON ${outbox} (client_id, reference);
CREATE INDEX "${prefix}outbox_submissions" ON ${outbox} (next_attempt_at) WHERE failed_at IS NULL AND type = 'claim.submitted';
CREATE INDEX "${prefix}outbox_life" ON ${outbox} (next_attempt_at) WHERE failed_at IS NULL AND type <> 'claim.submitted';

CREATE VIEW ${events} AS
SELECT client_id, reference, event_id, attempts, next_attempt_at, failed_at, reason
FROM ${outbox} WHERE type = 'claim.submitted';
CREATE VIEW ${lifeEvents} AS
SELECT event_id, type, client_id, user_id, occurred_at, data, attempts, next_attempt_at, failed_at, reason
FROM ${outbox} WHERE type <> 'claim.submitted';
IF has_invoker THEN
  ALTER VIEW ${events} SET (security_invoker = true);
  ALTER VIEW ${lifeEvents} SET (security_invoker = true);
END IF;
IF owner <> (SELECT oid FROM pg_roles WHERE rolname = current_user) THEN
  EXECUTE format('ALTER VIEW ${events} OWNER TO %s', owner::regrole);
  EXECUTE format('ALTER VIEW ${lifeEvents} OWNER TO %s', owner::regrole);
END IF;
-- Default privileges of the database may give rights that the tables no longer have.
FOR item IN
  SELECT DISTINCT c.oid::regclass AS name, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS role_name
  FROM pg_class c, aclexplode(c.relacl) WHERE c.oid IN (to_regclass('${events}'), to_regclass('${lifeEvents}')) AND grantee <> c.relowner
LOOP
  EXECUTE format('REVOKE ALL ON %s FROM %s', item.name, item.role_name);
END LOOP;
FOR item IN SELECT unnest(grants) AS statement LOOP
  EXECUTE item.statement;
END LOOP;
END $$`;
}
