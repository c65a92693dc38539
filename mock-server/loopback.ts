// Recognises hosts that only this machine can reach.

/** Returns whether a host, as an address or as part of a URL, is a loopback host. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}
