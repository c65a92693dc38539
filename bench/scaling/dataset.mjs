// The rows of one size, filled in by the database itself; and their names, for asking for them.
import { createHash } from 'node:crypto';
import { migrate, migrationSql } from '../../dist/lib/storage/postgres/index.js';

export const CLIENTS = 1000;
export const API_KEYS = 2000;
/** One link for so many sessions; every other one is submitted. */
const SESSIONS_PER_LINK = 10;
/** Rows that one statement inserts: short enough for a progress line, and for Ctrl-C. */
const CHUNK = 50_000;

const hex = (algorithm, text) => createHash(algorithm).update(text).digest('hex');

// The same expressions in JavaScript and in SQL, so that no name has to be read back.
export const userId = (user) =>
  hex('md5', `user ${user}`).replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
export const apiKeyHash = (key) => hex('sha256', `key ${key}`);
export const linkHash = (link) => hex('sha256', `link ${link}`);
export const apiKeyClient = (key) => `client-${key % CLIENTS}`;

/** Nine users of ten belong to one client, the worst case; the others are spread over all other clients. */
export const userClient = (user) =>
  user % 10 === 9 ? `client-${1 + (Math.floor(user / 10) % (CLIENTS - 1))}` : 'client-0';

const SQL = {
  userId: (user) => `md5('user ' || ${user})::uuid::text`,
  userClient: (user) =>
    `CASE WHEN ${user} % 10 = 9 THEN 'client-' || 1 + (${user} / 10 % ${CLIENTS - 1}) ELSE 'client-0' END`,
  sha256: (text) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`,
  reference: (prefix, session) => `'${prefix}-' || upper(substr(md5('${prefix} ' || ${session}), 1, 16))`,
  // Sessions come in one by one over two years, each of another user: a user's lie on as many pages as there are.
  user: (session, users) => `((${session} % ${users} + ${session} / ${users} * 31337) % ${users})`,
};

/** Whose session and link the number-th is. */
export const userOf = (number, users) => ((number % users) + Math.floor(number / users) * 31337) % users;
export const linkCount = (sessions) => Math.floor(sessions / SESSIONS_PER_LINK);

const person = (
  n,
) => `'firstName', (ARRAY['Ada','Grace','Alan','Edsger','Barbara','Donald','Radia','Tim'])[1 + ${n} % 8],
  'lastName', (ARRAY['Lovelace','Hopper','Turing','Dijkstra','Liskov','Knuth','Perlman','Lee'])[1 + ${n} / 8 % 8],
  'email', 'person.' || ${n} || '@mail.example'`;

/** What the widget makes: the documented members, and the incident that the built-in form asks for. */
const SESSIONS = (table, { sessions, users }) => `
INSERT INTO ${table} (client_id, user_id, reference, date, cams_reference, status, created_at, selected_policy, incident)
SELECT ${SQL.userClient('u')}, ${SQL.userId('u')}, ${SQL.reference('S', 'g')}, at + interval '15 minutes',
  ${SQL.reference('C', 'g')}, CASE WHEN g / ${users} % 5 = 4 THEN 'closed' ELSE 'submitted' END, at,
  jsonb_build_object('number', 'P-2026-' || lpad(u::text, 7, '0'), 'provider', 'Acme Insurance',
    'holder', jsonb_build_object(${person('u')}, 'id', ${SQL.userId('u')}, 'phone', '+44 20 7946 ' || lpad((u % 10000)::text, 4, '0')),
    'validFrom', '2026-01-01', 'validTo', '2026-12-31',
    'linkedContacts', jsonb_build_array(jsonb_build_object(${person('(u + 1)')})),
    'vehicle', jsonb_build_object('licensePlate', 'AB' || u % 90 + 10 || ' CDE')),
  jsonb_build_object('date', '2026-01-15',
    'description', 'A van turned left in front of me; my car has a dent in the right door and a broken mirror.')
FROM (SELECT g, ${SQL.user('g', users)} AS u,
    date_trunc('milliseconds', timestamptz '2024-01-01Z' + interval '730 days' * (g::float8 / ${sessions})) AS at
  FROM generate_series($1::bigint, $2::bigint) g) numbers`;

/** A link as the README's request makes it, with the policy prefilled; every other one has become its session. */
const LINKS = (table, { users, submitted }) => `
INSERT INTO ${table} (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at, opened_at, submitted_at, session_reference)
SELECT ${SQL.userClient('u')}, ${SQL.sha256("'link ' || g")}, ${SQL.userId('u')},
  'https://app.acme.example/claims/done?reference={SESSION_REFERENCE}&status={STATUS}', true,
  jsonb_build_object('currentUserId', ${SQL.userId('u')}, 'privacyPolicyUrl', 'https://acme.example/privacy',
    'contact', jsonb_build_object('email', 'claims@acme.example', 'phone', '+44 20 7946 0100', 'link', 'https://acme.example/help'),
    'policy', jsonb_build_object('provider', 'Acme Insurance', 'number', 'P-2026-' || lpad(u::text, 7, '0'),
      'holder', jsonb_build_object(${person('u')}), 'vehicle', jsonb_build_object('licensePlate', 'AB' || u % 90 + 10 || ' CDE'))),
  at, at + interval '1 day', at + interval '1 minute',
  CASE WHEN ${submitted} THEN at + interval '16 minutes' END, CASE WHEN ${submitted} THEN ${SQL.reference('S', 'g')} END
FROM (SELECT g, ${SQL.user('g', users)} AS u, timestamptz '2030-01-01Z' + g % 86400 * interval '1 second' AS at
  FROM generate_series($1::bigint, $2::bigint) g) numbers`;

/** Makes the tables, optionally partitioned, and fills them. `size`: `{ schema, sessions, users }`. */
export async function fill(pool, size, { partitions, cluster, signal, progress }) {
  const { schema, sessions, users } = size;
  const table = (name) => `"${schema}"."claimlink_${name}"`;
  await pool.query(`CREATE SCHEMA "${schema}"`);
  if (partitions > 0) for (const statement of partitionSql(schema, partitions)) await pool.query(statement);
  await migrate(pool, { schema });
  await pool.query(`INSERT INTO ${table('clients')}
SELECT 'client-' || c, 'Company ' || c, jsonb_build_array('https://app.company-' || c || '.example')
FROM generate_series(0, ${CLIENTS - 1}) c`);
  await pool.query(`INSERT INTO ${table('api_keys')} (id, client_id, hash, hint, created_at)
SELECT 'key-' || k, 'client-' || k % ${CLIENTS}, ${SQL.sha256("'key ' || k")}, 'clk_…' || lpad(k::text, 4, '0'), timestamptz '2026-01-01Z'
FROM generate_series(0, ${API_KEYS - 1}) k`);
  const insert = async (what, statement, count) => {
    for (let from = 0; from < count; from += CHUNK) {
      signal.throwIfAborted();
      await pool.query(statement, [from, Math.min(from + CHUNK, count) - 1]);
      progress(`${sessions} sessions: ${what} ${Math.min(from + CHUNK, count)} of ${count}`);
    }
  };
  await insert('sessions', SESSIONS(table('sessions'), { sessions, users }), sessions);
  await insert('links', LINKS(table('links'), { users, submitted: 'g % 2 = 0' }), linkCount(sessions));
  if (cluster) await pool.query(`CLUSTER ${table('sessions')} USING claimlink_sessions_by_user`);
  // Vacuumed, so that no reader has to set a row's hint bits, at any size.
  for (const name of ['clients', 'api_keys', 'sessions', 'links'])
    await pool.query(`VACUUM (ANALYZE) ${table(name)}`);
}

/** Adds links that can be submitted, numbered from `from`. */
export async function addLinks(pool, { schema, users }, from, count) {
  const statement = LINKS(`"${schema}"."claimlink_links"`, { users, submitted: 'false' });
  await pool.query(statement, [from, from + count - 1]);
}

/**
 * The tables of sessions and links as `migrate` makes them, partitioned by hash of the client. Run before `migrate`,
 * which leaves tables that are there alone and adds their indexes.
 */
export function partitionSql(schema, partitions) {
  const tables = [
    ...migrationSql({ schema }).matchAll(/CREATE TABLE IF NOT EXISTS (\S+_(?:sessions|links)") [^;]*/g),
  ];
  return tables.flatMap(([create, name]) => [
    `${create} PARTITION BY HASH (client_id)`,
    ...Array.from({ length: partitions }, (_, remainder) => {
      const partition = name.replace(/"$/, `_${remainder}"`);
      return `CREATE TABLE ${partition} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${remainder})`;
    }),
  ]);
}

/** Bytes on disk: of each table's rows and of each index. Depth: how many pages a look-up in the index reads. */
export async function measureStorage(pool, schema, withDepth) {
  const { rows } = await pool.query(
    `SELECT c.relname AS name, c.relkind AS kind, c.oid::int AS oid, greatest(c.reltuples, 0)::bigint::int AS rows,
  pg_relation_size(c.oid)::float8 AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'i') AND c.relname !~ 'migrations' ORDER BY 2 DESC, 1`,
    [schema],
  );
  for (const row of rows) {
    if (!withDepth || row.kind !== 'i' || row.bytes === 0) continue;
    const meta = await pool.query('SELECT level FROM bt_metap($1)', [`"${schema}"."${row.name}"`]);
    row.depth = Number(meta.rows[0].level) + 1;
  }
  return rows.map(({ oid: _, ...row }) => row);
}
