// The claims of claims-api.mjs, and the composite requests that open them.

/** An error of the API, in the shape of the Cloud API. */
export class ApiError extends Error {
  constructor(status, errorCode, message) {
    super(message);
    Object.assign(this, { status, errorCode });
  }
}

const badInput = (message) => new ApiError(400, 'gw.api.rest.exceptions.BadInputException', message);

export function createClaims(database) {
  database.exec(`
    CREATE TABLE IF NOT EXISTS transactions (id TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS claims (id INTEGER PRIMARY KEY, state TEXT NOT NULL, attributes TEXT NOT NULL, reporter TEXT);
  `);
  const find = (id) => database.prepare('SELECT * FROM claims WHERE id = ?').get(id);

  /** The endpoints, by the end of the path. */
  const endpoints = {
    claims(_id, attributes) {
      if (!attributes.policyNumber || Number.isNaN(Date.parse(attributes.lossDate)))
        throw badInput('A draft needs policyNumber and lossDate.');
      const insert = database.prepare(`INSERT INTO claims (state, attributes) VALUES ('draft', ?)`);
      return String(insert.run(JSON.stringify(attributes)).lastInsertRowid);
    },
    contacts(id, reporter) {
      database.prepare('UPDATE claims SET reporter = ? WHERE id = ?').run(JSON.stringify(reporter), id);
      return id;
    },
    submit(id) {
      database.prepare(`UPDATE claims SET state = 'open' WHERE id = ?`).run(id);
      return id;
    },
  };

  function executeOne({ uri, body }, variables) {
    const path = uri.replace(/\$\{(\w+)\}/g, (_, name) => variables[name] ?? '');
    const [, id, name = 'claims'] = /^\/claim\/v1\/claims(?:\/(\d+)\/(contacts|submit))?$/.exec(path) ?? [''];
    if (id === undefined ? path !== '/claim/v1/claims' : !find(id)) throw badInput(`There is no ${path}.`);
    return endpoints[name](id, body?.data.attributes ?? {});
  }

  return {
    /** Executes a composite request in one transaction, or throws and changes nothing. */
    execute(requests, transactionId) {
      if (!Array.isArray(requests)) throw badInput('The body has no requests.');
      const variables = {};
      database.exec('BEGIN IMMEDIATE');
      try {
        if (transactionId !== undefined) insertTransaction(database, transactionId);
        const responses = requests.map((request) => {
          const attributes = { id: executeOne(request, variables) };
          for (const { name } of request.vars ?? []) variables[name] = attributes.id;
          return { status: 200, body: { data: { attributes } } };
        });
        database.exec('COMMIT');
        return responses;
      } catch (error) {
        database.exec('ROLLBACK');
        throw error;
      }
    },

    list() {
      const rows = database.prepare('SELECT * FROM claims ORDER BY id').all();
      return rows.map(({ id, state, attributes, reporter }) => ({
        attributes: {
          ...JSON.parse(attributes),
          id: String(id),
          state,
          reporter: JSON.parse(reporter ?? 'null'),
        },
      }));
    },
  };
}

/** @throws `AlreadyExecutedException` for an id that an earlier transaction had. */
function insertTransaction(database, id) {
  const { changes } = database.prepare('INSERT OR IGNORE INTO transactions (id) VALUES (?)').run(id);
  if (Number(changes) === 1) return;
  const name = 'gw.api.webservice.exception.AlreadyExecutedException';
  throw new ApiError(400, name, `The transaction ${id} was already executed.`);
}
