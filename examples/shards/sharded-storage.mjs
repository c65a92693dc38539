// A storage over several servers. Each client lives on one of them, with everything that belongs to it.
import { createHash } from 'node:crypto';
import { ClaimlinkError } from 'claimlink';

/** Methods whose argument is a client, names one, or is its id. */
const OF_CLIENT = [
  ...['findClient', 'insertClient', 'updateClient', 'changeClient', 'deleteClient'],
  ...['deleteUser', 'listApiKeys'],
  ...['insertLink', 'findLink', 'markLinkOpened', 'submitLink', 'revokeLink', 'revokeLinks', 'listLinks'],
  ...['insertSession', 'findSession', 'updateSession', 'listSessions', 'listClientSessions'],
  ...['insertLinkOnce', 'findIdempotentLink', 'settleEvent', 'postponeEvent'],
];
const SWEEPS = ['deleteExpiredLinks', 'reduceExpiredLinks', 'deleteSessions'];

/** Returns the index of a client's server. With another number of servers, it is another one. */
const byHash = (clientId, count) => createHash('sha256').update(clientId).digest().readUInt32BE() % count;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Creates a storage over the storages of the servers. `indexOf` returns the server of a client. */
export function createShardedStorage(servers, indexOf = byHash) {
  const serverOf = (clientId) => servers[indexOf(clientId, servers.length)];
  const settle = (call) => Promise.allSettled(servers.map(async (server) => call(server)));
  const errorIn = (results) => results.find(({ status }) => status === 'rejected')?.reason;
  const valueIn = (results) => results.find(({ value }) => value)?.value;

  /** Calls every server. If one is down, the others do their work, and its error is thrown afterwards. */
  async function callAll(call) {
    const results = await settle(call);
    if (errorIn(results)) throw errorIn(results);
    return results.map(({ value }) => value);
  }

  /** Returns what one of the servers has. Throws if none has it, and it may be on one that is down. */
  async function find(call) {
    const results = await settle(call);
    const value = valueIn(results);
    if (!value && errorIn(results)) throw errorIn(results);
    return value;
  }

  /** Returns what one of the servers has that are up. */
  const findOnAny = async (call) => valueIn(await settle(call));

  const findKey = (apiKeyHash) => (server) =>
    Promise.resolve(server.findCredentials({ apiKeyHash, clientId: '' })).then(({ apiKey }) => apiKey);

  return {
    ...Object.fromEntries(
      OF_CLIENT.map((name) => [
        name,
        (query, ...others) =>
          serverOf(typeof query === 'string' ? query : query.clientId)[name](query, ...others),
      ]),
    ),
    ...Object.fromEntries(
      SWEEPS.map((name) => [name, async (before) => sum(await callAll((server) => server[name](before)))]),
    ),

    // The key of another client is on another server. An unknown key is on none of those that are up.
    async findCredentials({ apiKeyHash, clientId }) {
      const server = serverOf(clientId);
      const credentials = await server.findCredentials({ apiKeyHash, clientId });
      if (credentials.apiKey) return credentials;
      const apiKey = await findOnAny(findKey(apiKeyHash));
      const client = apiKey && (await server.findClient(clientId));
      return { ...(apiKey && { apiKey }), ...(client && { client }) };
    },

    async insertApiKey(apiKey) {
      const { clientId, hash, id } = apiKey;
      const isTaken = await findOnAny(
        async (server) => (await findKey(hash)(server)) ?? server.findApiKey(id),
      );
      if (isTaken && (await serverOf(clientId).findClient(clientId)))
        throw new ClaimlinkError('already_exists', 'An API key with this id or value exists already.');
      return serverOf(clientId).insertApiKey(apiKey);
    },
    findApiKey: (id) => find((server) => server.findApiKey(id)),
    updateApiKey: async (id, change) => Boolean(await find((server) => server.updateApiKey(id, change))),
    revokeApiKey: async (id, at) => Boolean(await find((server) => server.revokeApiKey(id, at))),
    async recordKeyUse(use) {
      await callAll((server) => server.recordKeyUse(use));
    },
    listClients: async () => (await callAll((server) => server.listClients())).flat(),

    // The client is not known: every server may have it.
    findSessions: async (query) => (await callAll((server) => server.findSessions(query))).flat(),
    findLinks: async (query) => (await callAll((server) => server.findLinks(query))).flat(),

    async leaseEvents(query) {
      const events = [];
      for (const server of servers) {
        const limit = query.limit - events.length;
        if (limit > 0) events.push(...(await server.leaseEvents({ ...query, limit })));
      }
      return events;
    },
    async listEvents(query) {
      if (query.clientId !== undefined) return serverOf(query.clientId).listEvents(query);
      const time = ({ failedAt, nextAttemptAt }) => failedAt ?? nextAttemptAt;
      const events = (await callAll((server) => server.listEvents(query))).flat();
      return events.sort((a, b) => time(a) - time(b)).slice(0, query.limit);
    },
    async countEvents(query) {
      const counts = await callAll((server) => server.countEvents(query));
      const count = (state) => Math.min(sum(counts.map((each) => each[state])), query.limit);
      return { pending: count('pending'), failed: count('failed') };
    },
    async retryEvents(query) {
      if (query.clientId !== undefined) return serverOf(query.clientId).retryEvents(query);
      return sum(await callAll((server) => server.retryEvents(query)));
    },
  };
}
