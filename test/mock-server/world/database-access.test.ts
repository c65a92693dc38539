// What a real PostgreSQL refuses: a password, a database, a right. Each is one sentence, with no secret in it.
import pg from 'pg';
import t from 'tap';
import { startPostgres } from '../../storage/postgres-server.js';
import { PASSWORD, refusal } from '../refusal.js';

// One of its own: it gets another pg_hba.conf.
const server = await startPostgres(t);
if (server !== undefined) {
  const pool = new pg.Pool({ connectionString: server.url });
  await pool.query(`CREATE ROLE bob LOGIN PASSWORD '${PASSWORD}'`);
  const { rows } = await pool.query("SELECT current_setting('hba_file') AS path");
  await pool.query(
    `COPY (VALUES ('local all bob scram-sha-256'), ('local all all trust')) TO '${rows[0].path}'`,
  );
  await pool.query('SELECT pg_reload_conf()');
  await pool.end();
  const socket = server.url.slice(server.url.indexOf('?'));
  const as = (user: string, database = 'postgres') => `postgres://${user}@localhost/${database}${socket}`;
  const bob = `bob:${encodeURIComponent(PASSWORD)}`;

  t.test('the password is wrong', async (t) => {
    const sentence = 'claimlink: The database refuses the user or the password of <name>.\n';
    t.equal(await refusal('migrate', as(`bob:${encodeURIComponent(PASSWORD)}x`)), sentence);
    t.equal(await refusal('mock --port 0', as('bob:wrong')), sentence);
  });

  t.test('the password is missing', async (t) => {
    t.equal(
      await refusal('migrate', as('bob')),
      'claimlink: The database wants a password, and <name> has none.\n',
    );
  });

  t.test('the database is not there', async (t) => {
    t.equal(
      await refusal('migrate', as(bob, 'nothing')),
      'claimlink: There is no database of the name in <name>.\n',
    );
  });

  t.test('the user may not make tables', async (t) => {
    t.equal(
      await refusal('migrate', as(bob)),
      'claimlink: The user of <name> lacks the rights for this in the database.\n',
    );
  });

  t.test('TLS is asked for, and not there', async (t) => {
    t.equal(
      await refusal('migrate', `${as(bob)}&sslmode=verify-full`),
      'claimlink: The database does not speak TLS, which <name> asks for.\n',
    );
  });

  t.test('the database is read-only', async (t) => {
    const options = encodeURIComponent('-c default_transaction_read_only=on');
    t.equal(
      await refusal('migrate', `${as('postgres')}&options=${options}`),
      'claimlink: The database of <name> refuses (SQLSTATE 25006).\n',
    );
  });
}
