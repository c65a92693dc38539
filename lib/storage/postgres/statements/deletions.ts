// Statements that delete links, sessions, users and clients, and record `data.deleted`.
import { DELETED_BATCH } from '../../../core/life-events.js';
import type { DataDeletedEvent } from '../../../core/types.js';
import { isChosen, isExpired } from './fragments.js';
import type { TableNames } from './tables.js';

/** Returns the statements that delete. */
export function deletionStatements(tables: TableNames) {
  const { clients, apiKeys, sessions, links, sequences, outbox } = tables;
  /** Records what the query `removed` returns: `client_id`, `link_id` and `reference`. */
  const recordDeletion = (why: DataDeletedEvent['why'], at: string) => `
  INSERT INTO ${outbox} (event_id, type, client_id, occurred_at, data, attempts, next_attempt_at)
  SELECT gen_random_uuid()::text, 'data.deleted', client_id, ${at}::timestamptz, jsonb_build_object(
    'why', '${why}'::text,
    'linkIds', coalesce(jsonb_agg(link_id) FILTER (WHERE link_id IS NOT NULL), '[]'),
    'references', coalesce(jsonb_agg(reference) FILTER (WHERE reference IS NOT NULL), '[]')
  ), 0, ${at}::timestamptz
  FROM (
    SELECT client_id, link_id, reference, (row_number() OVER (PARTITION BY client_id) - 1) / ${DELETED_BATCH} AS batch
    FROM removed
  ) numbered
  GROUP BY client_id, batch`;
  const recordsDeletion = (at: string) =>
    `${at}::timestamptz IS NOT NULL AND ${isChosen(tables, "'data.deleted'")}`;
  /**
   * Whether this statement sees the session of a deleted link, if there was one. It waits for a submission that runs, and
   * then returns the changed row of the link, but it does not see the inserted session. It also sees the row as it was.
   */
  const seesSession = (link: string) => `(${link}.session_reference IS NULL OR (
    SELECT l.session_reference FROM ${links} l
    WHERE l.client_id = ${link}.client_id AND l.access_code_hash = ${link}.access_code_hash
  ) IS NOT NULL)`;
  /** The links of `deleted` whose session is not there. */
  const removedLinks = (at: string) => `
  SELECT d.client_id, d.access_code_hash AS link_id, NULL::text AS reference
  FROM deleted d
  WHERE ${recordsDeletion(at)} AND ${seesSession('d')} AND NOT EXISTS (
    SELECT 1 FROM ${sessions} s WHERE s.client_id = d.client_id AND s.reference = d.session_reference AND s.user_id = d.user_id
  )`;
  /** The sessions of `deleted`, with their links. */
  const removedSessions = (at: string) => `
  SELECT client_id, link->>'linkId' AS link_id, reference FROM deleted WHERE ${recordsDeletion(at)}`;
  /** The data of a client, deleted and recorded by the queries of a WITH clause. */
  const ofClientDeleted = (condition: string) => `deleted_keys AS (
  DELETE FROM ${apiKeys} WHERE ${condition}
), deleted_links AS (
  DELETE FROM ${links} WHERE ${condition} RETURNING client_id, access_code_hash, session_reference
), deleted_sessions AS (
  DELETE FROM ${sessions} WHERE ${condition} RETURNING client_id, reference, link->>'linkId' AS link_id
), deleted_events AS (
  DELETE FROM ${outbox} WHERE ${condition} AND type <> 'data.deleted'
), deleted_sequence AS (
  DELETE FROM ${sequences} WHERE ${condition}
), removed AS (
  SELECT client_id, link_id, reference FROM deleted_sessions WHERE ${recordsDeletion('$2')}
  UNION ALL
  SELECT client_id, access_code_hash, NULL FROM deleted_links d
  WHERE ${recordsDeletion('$2')} AND ${seesSession('d')}
    AND NOT EXISTS (SELECT 1 FROM deleted_sessions WHERE link_id = d.access_code_hash)
), recorded AS (${recordDeletion('client', '$2')}
)`;

  return {
    deleteExpiredLinks: `
WITH deleted AS (
  DELETE FROM ${links}
  WHERE ${isExpired(tables)}
  RETURNING client_id, access_code_hash, user_id, session_reference
), removed AS (${removedLinks('$3')}
), recorded AS (${recordDeletion('retention', '$3')}
)
SELECT count(*)::integer AS count FROM deleted`,

    deleteLinksOfUser: `
WITH deleted AS (
  DELETE FROM ${links}
  WHERE client_id = $1 AND user_id = $2
  RETURNING client_id, access_code_hash, user_id, session_reference
), removed AS (${removedLinks('$3')}
), recorded AS (${recordDeletion('user', '$3')}
)
SELECT count(*)::integer AS count FROM deleted`,

    deleteSessionsOfUser: `
WITH deleted AS (
  DELETE FROM ${sessions} WHERE client_id = $1 AND user_id = $2 RETURNING client_id, reference, link
), deleted_events AS (
  DELETE FROM ${outbox} WHERE client_id = $1 AND reference IN (SELECT reference FROM deleted) RETURNING 1
), deleted_life_events AS (
  DELETE FROM ${outbox} WHERE client_id = $1 AND user_id = $2 RETURNING 1
), removed AS (${removedSessions('$3')}
), recorded AS (${recordDeletion('user', '$3')}
)
SELECT (SELECT count(*) FROM deleted)::integer AS sessions,
  ((SELECT count(*) FROM deleted_events) + (SELECT count(*) FROM deleted_life_events))::integer AS events`,

    deleteSessions: `
WITH deleted AS (
  DELETE FROM ${sessions}
  WHERE (client_id, reference) IN (
    SELECT client_id, reference FROM ${sessions} WHERE date < $1::timestamptz ORDER BY date LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING client_id, reference, link
), deleted_events AS (
  DELETE FROM ${outbox} WHERE (client_id, reference) IN (SELECT client_id, reference FROM deleted)
), removed AS (${removedSessions('$3')}
), recorded AS (${recordDeletion('retention', '$3')}
)
SELECT count(*)::integer AS count FROM deleted`,

    deleteClient: `
WITH ${ofClientDeleted('client_id = $1')}, deleted AS (
  DELETE FROM ${clients} WHERE client_id = $1 RETURNING 1
)
SELECT count(*)::integer AS count FROM deleted`,

    /* Deletes nothing of a client that was added again. */
    deleteRestOfClient: `
WITH ${ofClientDeleted(`client_id = $1 AND NOT EXISTS (SELECT 1 FROM ${clients} WHERE client_id = $1)`)}
SELECT count(*)::integer AS count FROM removed`,
  };
}
