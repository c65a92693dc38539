// A pool of pg over a primary and its standbys: it connects to the server that accepts writes.
//   const pool = createPrimaryPool(urls, { max: 10, connectionTimeoutMillis: 2000 });
//   await callOnPrimary(urls, () => assertSchema(pool));
//   const storage = createPostgresStorage(pool);
// It needs pg-pool 3.13 or newer, which pg 8.20 installs. Older versions ignore `onConnect`.
import pg from 'pg';

/** Creates a pool over the URLs of the servers. */
export function createPrimaryPool(urls, options = {}) {
  const { connectionTimeoutMillis = 2000 } = options;
  let current = 0;

  class PrimaryClient extends pg.Client {
    #index = current;
    isChecked = false;

    constructor(config) {
      super({ ...config, connectionString: urls[current] });
    }

    connect(callback) {
      super.connect((error) => {
        if (error) this.skip();
        callback(error);
      });
    }

    /** Lets later connections go to the next server, unless another connection did so. */
    skip() {
      if (this.#index === current) current = (current + 1) % urls.length;
    }
  }

  const pool = new pg.Pool({
    ...options,
    Client: PrimaryClient,
    // The option `verify` would end the process if the connection is reset meanwhile.
    async onConnect(client) {
      client.isChecked = true;
      try {
        // The time limits of the pool and of claimlink do not apply here.
        const query = { text: 'SHOW transaction_read_only', query_timeout: connectionTimeoutMillis };
        const { rows } = await client.query(query);
        if (rows[0].transaction_read_only !== 'off')
          throw Object.assign(new Error('The server is read-only.'), { code: '25006' });
      } catch (error) {
        client.skip();
        throw error;
      }
    },
  });
  pool.on('connect', (client) => {
    if (!client.isChecked) throw new Error('createPrimaryPool needs pg-pool 3.13 or newer.');
  });
  pool.on('error', () => {}); // an idle connection broke; the next query opens another one
  return pool;
}

/** Calls a function of claimlink until it succeeds, once for each server. A failed connection selects the next server. */
export async function callOnPrimary(urls, run) {
  for (const _ of urls.slice(1)) {
    try {
      return await run();
    } catch (error) {
      if (error.code !== 'storage_unavailable') throw error;
    }
  }
  return run();
}
