// `npm run sbom` lists what an installation of claimlink contains.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { IS_LONG } from '../size.js';
import { ROOT, run } from './programs.js';

/** The members of a CycloneDX document that this test reads. */
interface Sbom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { name: string; version: string } };
  components: { name: string; version: string; purl: string; hashes: unknown[] }[];
}

/** The members of a package lock that this test reads. */
interface PackageLock {
  version: string;
  packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean; peer?: boolean }>;
}

const skip = !IS_LONG && 'npm takes seconds: CLAIMLINK_TESTS=long runs it';

t.test('the SBOM is CycloneDX and lists every package of production, and no other', { skip }, async (t) => {
  const { stdout } = await run('npm', ['run', '--silent', 'sbom'], ROOT);
  const sbom: Sbom = JSON.parse(stdout);
  const lock: PackageLock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  t.equal(sbom.bomFormat, 'CycloneDX');
  t.match(sbom.specVersion, /^1\.\d$/);
  t.match(sbom.metadata.component, { name: 'claimlink', version: lock.version });
  const production = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional, peer }]) => path !== '' && !dev && !devOptional && !peer)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
  t.strictSame(
    sbom.components.map(({ name, version }) => `${name}@${version}`).sort(),
    [...new Set(production)].sort(),
  );
  t.ok(
    sbom.components.every(({ purl, hashes }) => purl.startsWith('pkg:npm/') && hashes.length > 0),
    'each with its address and hash',
  );
});
