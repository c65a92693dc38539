// Parts that the JSON Schemas of options, scenarios and the control API share.

/** An id, a reference, a name. */
export const idSchema = { type: 'string', minLength: 1, maxLength: 100, format: 'id' } as const;

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
