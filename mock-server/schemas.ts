// The JSON Schemas that values are checked with. `npm run generate` compiles them into mock-server/generated.
import { delaySchema, faultSchema } from './fault-schema.js';
import { BODIES, QUERIES } from './http/control-schemas.js';
import { clientSchema, OPTION_SCHEMAS } from './option-schemas.js';
import { scenarioSchema } from './scenario/scenario.js';
import { sessionsSchema } from './scenario/session.js';

export { FORMATS } from './formats.js';

/** By the names that `checkWith` takes. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  client: clientSchema,
  delay: delaySchema,
  fault: faultSchema,
  scenario: scenarioSchema,
  sessions: sessionsSchema,
  ...withPrefix('option', OPTION_SCHEMAS),
  ...withPrefix('query', QUERIES),
  ...withPrefix('body', BODIES),
};

function withPrefix(prefix: string, schemas: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${prefix}_${name}`, schema]));
}
