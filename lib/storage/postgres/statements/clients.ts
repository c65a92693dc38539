// Statements about clients and their API keys.
import { API_KEY, CLIENT } from '../../sql/columns.js';
import type { TableNames } from './tables.js';

/** Returns the statements that insert and change clients and API keys. */
export function clientStatements({ clients, apiKeys }: TableNames) {
  return {
    insertClient: `
INSERT INTO ${clients} (${CLIENT.join(', ')})
VALUES ($1, $2, $3::text::jsonb, $4, $5::text::jsonb, $6::text::jsonb, $7::text::jsonb)
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,

    updateClient: `
UPDATE ${clients} SET name = $2, callback_origins = $3::text::jsonb, locale = $4, branding = $5::text::jsonb,
  frame_ancestors = $6::text::jsonb, settings = $7::text::jsonb
WHERE client_id = $1
RETURNING 1 AS updated`,

    changeClient: (assignments: string) => `
UPDATE ${clients} SET ${assignments}
WHERE client_id = $1
RETURNING 1 AS updated`,

    insertApiKey: `
INSERT INTO ${apiKeys} (${API_KEY.join(', ')})
SELECT $1, client_id, $3, $4, $5::timestamptz, $6::timestamptz, $7::timestamptz, $8::timestamptz
FROM ${clients}
WHERE client_id = $2
FOR KEY SHARE
ON CONFLICT DO NOTHING
RETURNING 1 AS inserted`,

    revokeApiKey: `
UPDATE ${apiKeys} SET revoked_at = $2::timestamptz
WHERE id = $1 AND revoked_at IS NULL
RETURNING 1 AS revoked`,

    updateApiKey: `
UPDATE ${apiKeys} SET expires_at = $2::timestamptz
WHERE id = $1 AND revoked_at IS NULL
RETURNING 1 AS updated`,

    recordKeyUse: `
UPDATE ${apiKeys} SET last_used_at = $2::timestamptz
WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz)`,
  };
}
