// Recognises bytes.

/** Returns whether a value is bytes. `instanceof` rejects those of Node in a test under jsdom, which has a Uint8Array of its own. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}
