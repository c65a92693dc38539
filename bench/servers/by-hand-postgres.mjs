// The hand-written service on pg, with the same indexed queries as claimlink.
import { hash } from 'node:crypto';
import pg from 'pg';
import { mintLink, Problem, toWire } from './by-hand-service.mjs';

/** Creates the service on tables that claimlink's migrations created. */
export function createPostgresClaims(connectionString, schema, prepareStatements = false) {
  const pool = new pg.Pool({ connectionString });
  const query = (name, text, values) =>
    prepareStatements ? pool.query({ name, text, values }) : pool.query(text, values);
  pool.on('error', (error) => console.error(error));
  return {
    async authenticate(presentedKey, clientId) {
      if (!presentedKey) throw new Problem('api_key_missing');
      const { rows } = await query(
        'authenticate',
        `SELECT k.expires_at, k.revoked_at, c.callback_origins
         FROM ${schema}.claimlink_api_keys k
         JOIN ${schema}.claimlink_clients c ON c.client_id = k.client_id
         WHERE k.hash = $1 AND k.client_id = $2`,
        [hash('sha256', presentedKey), clientId],
      );
      const [row] = rows;
      const now = Date.now();
      if (row === undefined || row.expires_at?.getTime() <= now || row.revoked_at?.getTime() <= now)
        throw new Problem('api_key_invalid');
      return { clientId, callbackOrigins: new Set(row.callback_origins) };
    },

    async listSessions(clientId, userId) {
      const { rows } = await query(
        'list',
        `SELECT reference, date, cams_reference AS "camsReference", status, created_at AS "createdAt",
           selected_policy AS "selectedPolicy"
         FROM ${schema}.claimlink_sessions
         WHERE client_id = $1 AND user_id = $2
         ORDER BY created_at DESC, reference
         LIMIT 1000`,
        [clientId, userId],
      );
      return rows.map(toWire);
    },

    /** Expects a request that matches `linkSchema`. */
    async createLink(client, request) {
      const now = Date.now();
      const { accessCodeHash, expiresAt, url } = mintLink(client, request, now);
      const { callbackUrl, callbackOnSubmit, config } = request;
      const link = [client.clientId, accessCodeHash, config.currentUserId, callbackUrl, callbackOnSubmit];
      await query(
        'insert',
        `INSERT INTO ${schema}.claimlink_links
           (client_id, access_code_hash, user_id, callback_url, callback_on_submit, config, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [...link, JSON.stringify(config), new Date(now), new Date(expiresAt)],
      );
      return { data: url };
    },
  };
}
