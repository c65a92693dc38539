// Records the modules that this process loads after this one.
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

const { port1, port2 } = new MessageChannel();
register(new URL('trace-loader.mjs', import.meta.url), { data: port2, transferList: [port2] });

const imported = new Set();
const { cache } = createRequire(import.meta.url);

/** Returns the URLs of the ES modules and the paths of the CommonJS modules loaded so far, without Node's own. */
export function loadedModules() {
  for (let received = receiveMessageOnPort(port1); received; received = receiveMessageOnPort(port1))
    imported.add(received.message);
  // The loader does not see modules that a CommonJS module requires.
  return [...imported, ...Object.keys(cache)].filter((name) => !name.startsWith('node:'));
}

/** Stops recording, so that the process can end. */
export function stopTracing() {
  port1.close();
}

/** Returns the names of packages, and the source files of claimlink: each once, sorted. */
export function summarize(modules) {
  const names = modules.flatMap((name) => {
    const inPackage = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name);
    if (inPackage !== null) return [inPackage[1]];
    return name.includes('/dist/') ? sourcesOf(new URL(name)) : [];
  });
  return [...new Set(names)].sort();
}

/** Returns the source files in a file of dist: esbuild puts a comment before each. */
function sourcesOf(url) {
  const comments = readFileSync(url, 'utf8').matchAll(/^\/\/ ((?:lib|mock-server)\/.*\.ts)$/gm);
  return [...comments].map(([, path]) => path);
}
