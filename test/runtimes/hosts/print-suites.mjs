// Prints the results of the suites as one line of JSON.
import { runSuites } from './suites.mjs';

console.log(JSON.stringify(await runSuites()));
