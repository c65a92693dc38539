// The JSON Schemas that values are checked with. `npm run generate` compiles them into mock-server/generated.

import { METHODS } from './control/methods.js';
import { delaySchema, faultSchema } from './fault-schema.js';
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
  ...withPrefix(
    'input',
    Object.fromEntries(Object.entries(METHODS).map(([name, { input }]) => [name, input])),
  ),
};

function withPrefix(prefix: string, schemas: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${prefix}_${name}`, schema]));
}
