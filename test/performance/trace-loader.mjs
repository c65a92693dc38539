// The hook of trace-modules.mjs, on the thread that loads: tells each module that is imported.
let told;

export function initialize(port) {
  told = port;
}

export function load(url, context, nextLoad) {
  told.postMessage(url);
  return nextLoad(url, context);
}
