// The SQL statements of the PostgreSQL storage: those that write, and the queries of `sql/reads.ts`.
//
// They run behind a pooler in transaction mode:
// - each method is one statement and therefore one transaction: no session state, no BEGIN, no SET, no named prepared
//   statement unless the host enables them, no temporary table, no LISTEN, no advisory lock;
// - row locks (FOR UPDATE, UPDATE ... WHERE) and unique indexes decide between concurrent calls;
// - a statement names the client, so that tables partitioned by client_id read one partition. Exceptions are the sweeps,
//   the list of clients, the searches without a client, and the statements about the events of all clients;
// - no foreign keys: they would lock the client's row for every link and session;
// - JSON is passed as `$n::text::jsonb`: a driver that serializes parameters by their types would serialize it twice. It is
//   returned as text, and parsed in one place.
import { createQueries } from '../sql/reads.js';
import { clientStatements } from './statements/clients.js';
import { deletionStatements } from './statements/deletions.js';
import { eventStatements } from './statements/events.js';
import { SELECTION } from './statements/fragments.js';
import { linkStatements } from './statements/links.js';
import { momentStatements } from './statements/moments.js';
import { sessionStatements } from './statements/sessions.js';
import type { TableNames } from './statements/tables.js';

export type Statements = ReturnType<typeof createStatements>;

/** Returns the statements for these tables. */
export function createStatements(tables: TableNames) {
  const queries = createQueries(tables, SELECTION);
  return {
    ...queries,
    ...linkStatements(tables),
    ...sessionStatements(tables),
    ...momentStatements(tables),
    ...eventStatements(tables, queries.storedEvents),
    ...deletionStatements(tables),
    ...clientStatements(tables),
  };
}
