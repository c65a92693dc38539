// Prints the modules that the help text of the command line loads, as JSON.
import { loadedModules, stopTracing, summarize } from './trace-modules.mjs';

process.argv.push('--help');
const { write } = process.stdout;
process.stdout.write = () => true;
await import('../../dist/cli/bin.js');
process.stdout.write = write;
process.stdout.write(`${JSON.stringify(summarize(loadedModules()))}\n`);
stopTracing();
