// npm run ha: runs a test about several servers at its largest size, and prints its figures. docs/evidence/high-availability.md explains them.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PARTS = {
  failover: 'test/cluster/failover.release.alone.test.ts',
  replicas: 'test/cluster/listings.release.alone.test.ts',
  shards: 'test/cluster/shards.release.alone.test.ts',
  partitions: 'test/storage/postgres-partitions.release.alone.test.ts',
  patroni: 'test/cluster/patroni.long.alone.test.ts',
  pools: 'test/cluster/pools.release.alone.test.ts',
  submissions: 'test/cluster/submissions.long.alone.test.ts',
};

const [part, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(PARTS, part ?? '') || rest.length > 0) {
  console.error(`npm run ha -- <part>\n  parts: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
const env = { ...process.env, CI: 'true', CLAIMLINK_TESTS: 'release', TAP_TIMEOUT: '3600' };
const script = fileURLToPath(new URL('test-process.mjs', import.meta.url));
const child = spawn(process.execPath, ['--enable-source-maps', script, PARTS[part]], {
  env,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGINT'));
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
