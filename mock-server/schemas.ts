// The JSON Schemas that values are checked with. `npm run generate` compiles them into mock-server/generated.

import { METHODS } from './control/methods.js';
import { selectionSchema } from './control/schemas.js';
import { delaySchema } from './fault-schema.js';
import { OPTION_SCHEMAS } from './option-schemas.js';
import { scenarioSchema } from './scenario/scenario.js';

export { MAX_PROBLEMS } from '../lib/core/errors.js';
export { FORMATS } from './formats.js';

/** By the names that `checkWith` takes. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  delay: delaySchema,
  events: selectionSchema,
  scenario: scenarioSchema,
  options: { type: 'object', properties: OPTION_SCHEMAS },
  ...Object.fromEntries(Object.entries(METHODS).map(([name, { input }]) => [`input_${name}`, input])),
};
