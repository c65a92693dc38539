// Imports what it is told, and prints as JSON what that loads: `node list-modules.mjs claimlink claimlink/node`.
import { loadedModules, stopTracing, summarize } from './trace-modules.mjs';

for (const specifier of process.argv.slice(2)) await import(specifier);
process.stdout.write(`${JSON.stringify(summarize(loadedModules()))}\n`);
stopTracing();
