// The JSON Schemas that values are checked with. `npm run generate` compiles them into mock-server/generated.

import { METHODS } from './control/methods.js';
import { selectionSchema } from './control/schemas.js';
import { delaySchema } from './fault-schema.js';
import { OPTION_SCHEMAS } from './option-schemas.js';
import { scenarioSchema } from './scenario/scenario.js';

export { FORMATS } from './formats.js';

/** By the names that `checkWith` takes. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  delay: delaySchema,
  events: selectionSchema,
  scenario: scenarioSchema,
  ...withPrefix('option', OPTION_SCHEMAS),
  ...withPrefix(
    'input',
    Object.fromEntries(Object.entries(METHODS).map(([name, { input }]) => [name, input])),
  ),
};

function withPrefix(prefix: string, schemas: Readonly<Record<string, object>>): Record<string, object> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [`${prefix}_${name}`, schema]));
}
