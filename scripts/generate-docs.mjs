// Writes the tables of the documents that come from the code. `npm run generate:docs` compiles the code first.
import { writeFileSync } from 'node:fs';
import { generateTables } from '../build/test/docs/tables.js';

for (const [path, markdown] of generateTables())
  writeFileSync(new URL(`../${path}`, import.meta.url), markdown);
