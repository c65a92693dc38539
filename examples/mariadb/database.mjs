// The pool and the storage, for server.mjs and for commands: npx claimlink keys list --client acme --storage ./database.mjs
import { createPool } from 'mysql2/promise';
import { createMariadbStorage } from './storage.mjs';

/** A call over the limit of the queue gets a 503 at once. Without a limit, calls wait as long as MariaDB is not reached. */
export const pool = createPool({
  uri: process.env.MARIADB_URL, // mysql://user:password@host/database
  connectionLimit: 10,
  queueLimit: 500,
  connectTimeout: 2000,
});

export default Object.assign(createMariadbStorage(pool), { close: () => pool.end() });
