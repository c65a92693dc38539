// Follows which modules this process loads. To be imported before what is followed.
import { createRequire, register } from 'node:module';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

const { port1, port2 } = new MessageChannel();
register(new URL('trace-loader.mjs', import.meta.url), { data: port2, transferList: [port2] });

const imported = new Set();
const { cache } = createRequire(import.meta.url);

/** URLs of the ES modules and paths of the CommonJS modules that are loaded by now, without Node's own. */
export function loadedModules() {
  for (let got = receiveMessageOnPort(port1); got; got = receiveMessageOnPort(port1))
    imported.add(got.message);
  // What a CommonJS module requires goes past the loader.
  return [...imported, ...Object.keys(cache)].filter((name) => !name.startsWith('node:'));
}

/** Stops following, so that the process can end. */
export function stopTracing() {
  port1.close();
}

/** What was loaded: packages by name, files of claimlink's dist by their path in it; each once, in order. */
export function summarize(modules) {
  const names = modules.map((name) => {
    const inPackage = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name);
    return inPackage?.[1] ?? /\/dist\/(.+)$/.exec(name)?.[1];
  });
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
