// Runs the suites for a request, because a worker has no stdout. A worker has no disk.
import { runSuites } from './suites.mjs';

export default { fetch: async () => Response.json(await runSuites()) };
