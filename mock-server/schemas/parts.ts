// Parts that the JSON Schemas of options, scenarios and the control API share.
import { MAX_USER_ID_LENGTH } from '../../lib/core/schemas.js';

/** An id, a reference, a name. */
export const idSchema = { type: 'string', minLength: 1, maxLength: 100, format: 'id' } as const;

/** The id of a user, in the service and as the holder of a policy. */
export const userIdSchema = { ...idSchema, maxLength: MAX_USER_ID_LENGTH } as const;

/** Returns the schema of an object that has no other members. */
export function closed<const P extends Readonly<Record<string, object>>>(
  properties: P,
  required: readonly string[] = [],
) {
  const schema = { type: 'object', additionalProperties: false, properties } as const;
  return required.length > 0 ? { ...schema, required } : schema;
}

export const wholeNumber = (minimum: number, maximum: number) =>
  ({ type: 'integer', minimum, maximum }) as const;
