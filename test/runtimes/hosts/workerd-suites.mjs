// Runs the suites for a request, because a worker has no stdout.
import { runSuites } from './suites.mjs';

export default { fetch: async () => Response.json(await runSuites()) };
