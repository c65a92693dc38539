// Prints the SBOM of an installation in the CycloneDX format.
//
// `npm sbom --omit dev` in the repository would leave out packages that development uses as well, and
// would name the component after its folder. So this script runs it on a copy without the development packages.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'claimlink-sbom-'));
try {
  const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const folder = join(temporary, manifest.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  copyFileSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  // The lock file names every package, so npm needs no registry to remove some of them.
  npm(folder, 'install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
  process.stdout.write(npm(folder, 'sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function npm(folder, ...args) {
  // On Windows, npm is a script that only a shell runs.
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' };
  return execFileSync('npm', args, options);
}
