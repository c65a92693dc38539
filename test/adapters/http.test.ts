// Runs the HTTP suite over every mount.
import t from 'tap';
import { runHttpSuite } from './http-suite.js';
import { MOUNTS } from './mounts.js';

for (const kind of MOUNTS) t.test(kind.name, (t) => runHttpSuite(t, kind));
