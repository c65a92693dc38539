// The JSON Schemas that check.ts checks values with. `npm run generate` compiles them into mock-server/generated.

import { selectionSchema } from '../schemas/control.js';
import { delaySchema } from '../schemas/fault.js';
import { OPTION_SCHEMAS } from '../schemas/options.js';
import { scenarioSchema } from '../schemas/scenario.js';
import { METHODS } from './methods.js';

export { MAX_PROBLEMS } from '../../lib/core/errors.js';
export { FORMATS } from '../schemas/formats.js';

/** By the names that `checkWith` takes. */
export const SCHEMAS: Readonly<Record<string, object>> = {
  delay: delaySchema,
  events: selectionSchema,
  scenario: scenarioSchema,
  options: { type: 'object', properties: OPTION_SCHEMAS },
  ...Object.fromEntries(Object.entries(METHODS).map(([name, { input }]) => [`input_${name}`, input])),
};
