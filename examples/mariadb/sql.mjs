// Rows and statements: how the storage over MariaDB reads and writes records, and runs and repeats statements.
import { ClaimlinkError } from 'claimlink';

// How the value of a column becomes a member.
export const text = (value) => value;
export const number = (value) => value;
export const boolean = (value) => value === 1;
export const json = (value) => JSON.parse(value);
export const time = (value) => new Date(value);
/** Members that are dates inside of the JSON of notices, moments and events. */
const DATES = ['at', 'expiresAt'];
export const datedJson = (value) =>
  JSON.parse(value, (name, member) => (DATES.includes(name) ? new Date(member) : member));

/** Describes a record: the alias of its table, and its members, each of which is a column. */
export function record(alias, ...columns) {
  const members = columns.flatMap(([toMember, names]) => names.split(' ').map((name) => [name, toMember]));
  return { alias, names: members.map(([name]) => name), members };
}

/** Lists the columns of records for SELECT. In the result, a column has the name `alias_member`. */
export const columns = (...records) =>
  records
    .flatMap(({ alias, names }) => names.map((name) => `${alias}.${name} AS ${alias}_${name}`))
    .join(', ');

/** Reads a record from a row. Returns `undefined` if an outer join found none. A NULL is a member that is absent. */
export function read({ alias, members }, row) {
  const entries = members.flatMap(([name, toMember]) => {
    const value = row[`${alias}_${name}`];
    return value === null ? [] : [[name, toMember(value)]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Returns all members of a record for INSERT or UPDATE, with `undefined` for those that are absent. */
export const write = (record, value) => Object.fromEntries(record.names.map((name) => [name, value[name]]));

/** Converts the value of a member to a parameter. */
function toParameter(value) {
  if (value === undefined) return null;
  if (value instanceof Date) return value.getTime();
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

const placesOf = (names) => names.map((name) => `:${name}`).join(', ');
export const insertInto = (table, names) =>
  `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placesOf(names)})`;
export const assignments = (names) => names.map((name) => `${name} = :${name}`).join(', ');

/**
 * Returns the places and the parameters of a list, for which a prepared statement has no single parameter. A value may be
 * a list: `(a, b) IN (...)`.
 */
export function toList(values) {
  const items = values.flat();
  const parameters = Object.fromEntries(items.map((item, index) => [`item${index}`, item]));
  const names = Object.keys(parameters);
  const places = values.map((value) => {
    const isList = Array.isArray(value);
    const part = placesOf(names.splice(0, isList ? value.length : 1));
    return isList ? `(${part})` : part;
  });
  return { places: places.join(', '), parameters };
}

/** The error of MariaDB for a value that a unique index has already. */
const DUPLICATE = 1062;
/** Errors after which MariaDB has rolled the transaction back: a deadlock, and a row that changed since it was read. */
const CONFLICTS = [1213, 1020];
const MAX_ATTEMPTS = 10;

/** Errors that pass by, by their number: a later call may succeed. */
const UNAVAILABLE = {
  1020: 'The transaction was in conflict with others at each attempt.',
  1040: 'MariaDB has too many connections.',
  1047: 'The node of the cluster takes no statements at the moment.',
  1053: 'MariaDB stops.',
  1203: 'The user of the pool has too many connections.',
  1205: 'The wait for a lock took too long.',
  1213: 'The transaction was in conflict with others at each attempt.',
  1290: 'MariaDB is read-only.',
  1317: 'MariaDB ended the statement.',
  1836: 'MariaDB is read-only.',
  1927: 'MariaDB ended the connection.',
  1969: 'The statement took too long.',
};
/** Errors of the pool have a message only. */
const POOL_ERRORS = ['No connections available.', 'Pool is closed.', 'Queue limit reached.'];

/** Returns why MariaDB is not available, or `undefined` for another error. */
function unavailableReason({ errno, fatal, message, sqlState }) {
  if (POOL_ERRORS.includes(message)) return 'The pool has no free connection, or was closed.';
  // An error of the connection comes from the driver: the server gives its errors a state.
  if (fatal && sqlState === undefined) return 'MariaDB cannot be reached, or the connection was lost.';
  return UNAVAILABLE[errno];
}

/** Runs a function again after a conflict. Throws `storage_unavailable` if MariaDB is not available. */
async function repeat(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (CONFLICTS.includes(error.errno) && attempt < MAX_ATTEMPTS) continue;
      const reason = unavailableReason(error);
      throw reason === undefined
        ? error
        : new ClaimlinkError('storage_unavailable', reason, { cause: error });
    }
  }
}

/** Runs a prepared statement. Returns its rows, or its `affectedRows` and `insertId`. */
async function execute(connection, sql, parameters = {}) {
  const values = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, toParameter(value)]),
  );
  const [result] = await connection.execute({ sql, values, namedPlaceholders: true });
  return result;
}

/** Runs an INSERT. Returns false if a unique index has the values already. INSERT IGNORE would ignore other errors as well. */
export async function insert(run, sql, parameters) {
  try {
    await run(sql, parameters);
    return true;
  } catch (error) {
    if (error.errno === DUPLICATE) return false;
    throw error;
  }
}

/** Returns functions that run statements on a pool of `mysql2/promise`. */
export function createExecutor(pool) {
  const run = (sql, parameters) => repeat(() => execute(pool, sql, parameters));
  const find = async (record, sql, parameters) => {
    const [row] = await run(sql, parameters);
    return row && read(record, row);
  };
  const list = async (record, sql, parameters) =>
    (await run(sql, parameters)).map((row) => read(record, row));
  /** Returns whether a row matches. mysql2 also counts a row whose values stay the same. */
  const changes = async (sql, parameters) => (await run(sql, parameters)).affectedRows === 1;

  /** Runs a function in a transaction, which may run it several times. READ COMMITTED locks no gaps between rows. */
  const transaction = (work) =>
    repeat(async () => {
      const connection = await pool.getConnection();
      try {
        await connection.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        await connection.beginTransaction();
        const result = await work((sql, parameters) => execute(connection, sql, parameters));
        await connection.commit();
        return result;
      } catch (error) {
        // A connection that cannot roll back must not go back to the pool in its transaction.
        await connection.rollback().catch(() => connection.destroy());
        throw error;
      } finally {
        connection.release();
      }
    });

  /** Changes any number of rows. Returns how many. */
  const changeAll = (sql, parameters) =>
    transaction(async (run) => (await run(sql, parameters)).affectedRows);

  return { run, find, list, changes, transaction, changeAll };
}
