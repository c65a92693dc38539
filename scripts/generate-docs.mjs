// Writes the tables of the documents that come from the code, and then the files for agents, which come from the
// documents. `npm run generate:docs` compiles the code first.
import { mkdirSync, writeFileSync } from 'node:fs';
import { generateAgentFiles } from '../build/test/docs/agents.js';
import { generateTables } from '../build/test/docs/tables.js';

function write([path, text]) {
  const file = new URL(`../${path}`, import.meta.url);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
}

for (const file of generateTables()) write(file);
for (const file of generateAgentFiles()) write(file);
