// Prints the modules that these imports load, as JSON: `node list-modules.mjs claimlink claimlink/node`.
import { loadedModules, stopTracing, summarize } from './trace-modules.mjs';

for (const specifier of process.argv.slice(2)) await import(specifier);
process.stdout.write(`${JSON.stringify(summarize(loadedModules()))}\n`);
stopTracing();
