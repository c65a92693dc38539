// The hook of trace-modules.mjs. It runs on the thread that loads modules, and sends the URL of each one.
let port;

export function initialize(data) {
  port = data;
}

export function load(url, context, nextLoad) {
  port.postMessage(url);
  return nextLoad(url, context);
}
