// Counts calls of what costs. To be imported before what is counted: it replaces globals and functions of node:crypto.
import { createHook } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import url from 'node:url';

/** All counters, from the start of the process. */
export const counters = {
  storageCalls: 0,
  hashes: 0,
  randomDraws: 0,
  jsonParses: 0,
  jsonStringifies: 0,
  urls: 0,
  clones: 0,
  timers: 0,
  compilations: 0,
  promises: 0,
};

/** The functions of an object that count as the same work, by counter. */
const FUNCTIONS = [
  ['hashes', crypto, ['hash', 'createHash', 'createHmac', 'createSign', 'createVerify', 'sign', 'verify']],
  ['randomDraws', crypto, ['randomBytes', 'randomFillSync', 'randomFill', 'randomInt', 'randomUUID']],
  ['randomDraws', Object.getPrototypeOf(globalThis.crypto), ['getRandomValues', 'randomUUID']],
  ['hashes', Object.getPrototypeOf(globalThis.crypto.subtle), ['digest', 'sign', 'verify']],
  ['jsonParses', JSON, ['parse']],
  ['jsonStringifies', JSON, ['stringify']],
  ['urls', URL, ['canParse', 'parse']],
  ['clones', globalThis, ['structuredClone']],
  ['timers', globalThis, ['setTimeout', 'setInterval', 'setImmediate']],
];

for (const [counter, owner, names] of FUNCTIONS) {
  for (const name of names) {
    // Not every version of Node has every one of them.
    if (typeof owner[name] === 'function') replace(owner, name, counted(owner[name], counter));
  }
}

for (const [counter, owner, name] of [
  ['urls', globalThis, 'URL'],
  ['urls', globalThis, 'URLSearchParams'],
  ['compilations', globalThis, 'Function'],
]) {
  replace(owner, name, counted(owner[name], counter));
}
url.URL = globalThis.URL;
url.URLSearchParams = globalThis.URLSearchParams;
syncBuiltinESMExports();

createHook({
  init(_id, type) {
    if (type === 'PROMISE') counters.promises++;
  },
}).enable();

/** The same storage, its calls counted. */
export function countCalls(storage) {
  return new Proxy(storage, {
    get(target, name) {
      const method = target[name];
      return typeof method === 'function' ? counted(method, 'storageCalls') : method;
    },
  });
}

/** The same function or class: called and constructed as before, and counted. */
function counted(original, counter) {
  return new Proxy(original, {
    apply(target, self, args) {
      counters[counter]++;
      return Reflect.apply(target, self, args);
    },
    construct(target, args, newTarget) {
      counters[counter]++;
      return Reflect.construct(target, args, newTarget);
    },
  });
}

function replace(owner, name, value) {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true });
}
