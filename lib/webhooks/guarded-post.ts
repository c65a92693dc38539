// Posts to public addresses only. The address that was checked is the one that is connected to: a name that resolves
// to another address later (DNS rebinding) reaches nothing.
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { PostWebhook } from './post.js';

/** Addresses of IPv4 that no public host has: the registries of special-purpose addresses (RFC 6890), and multicast. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;

/** The addresses of IPv6 that public hosts have. */
const GLOBAL_IPV6 = ['2000::', 3] as const;
/** Addresses among these that no public host has, or that lead to an address of IPv4. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

/** The modules of Node that the guard needs. */
interface NodeModules {
  dns: typeof import('node:dns');
  https: typeof import('node:https');
  net: typeof import('node:net');
}

/** Thrown for a host whose address is not public. */
class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
  readonly code = 'private_address';
}

/** Returns an error with a code of Node. */
function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Returns the modules in Node. Other runtimes have modules of these names, which may ignore `lookup`. */
export function nodeModules(): NodeModules | undefined {
  const { versions, getBuiltinModule: get } = globalThis.process ?? {};
  if (!versions?.node || versions['bun'] || versions['deno'] || !get) return undefined;
  const [dns, https, net] = [get('node:dns'), get('node:https'), get('node:net')];
  return dns && https && net && { dns, https, net };
}

/** Returns a function that tells whether an address of IPv4 or IPv6 is public. */
export function createAddressCheck({ BlockList, isIPv4 }: NodeModules['net']): (address: string) => boolean {
  const [ipv4, ipv6, global] = [new BlockList(), new BlockList(), new BlockList()];
  for (const [net, prefix] of SPECIAL_IPV4) ipv4.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of SPECIAL_IPV6) ipv6.addSubnet(net, prefix, 'ipv6');
  global.addSubnet(...GLOBAL_IPV6, 'ipv6');
  return (address) =>
    isIPv4(address)
      ? !ipv4.check(address, 'ipv4')
      : global.check(address, 'ipv6') && !ipv6.check(address, 'ipv6');
}

/**
 * Creates a function that posts over HTTPS, to hosts all of whose addresses are public. It rejects with the code `private_address`
 * before it connects to another one.
 */
export function createGuardedPost(
  { dns, https, net }: NodeModules,
  isPublic = createAddressCheck(net),
  trusted: { ca?: string } = {},
): PostWebhook {
  type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
  function lookup(hostname: string, options: LookupOptions, callback: Callback): void {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      // Node throws an uncaught exception for an empty list without an error.
      if (error || first === undefined) callback(error ?? coded('ENOTFOUND', 'The host has no address.'), []);
      else if (!addresses.every(({ address }) => isPublic(address)))
        callback(new PrivateAddressError('The host of the webhook has an address that is not public.'), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  }
  return async (url, { headers, body }, signal) => {
    // An address is not looked up.
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (net.isIP(host) && !isPublic(host))
      throw new PrivateAddressError('The host of the webhook is an address that is not public.');
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent: false, lookup, signal, ...trusted } as const;
      const outgoing = https.request(url, options, (response) => {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      });
      outgoing
        .on('error', (error) => reject(signal.aborted ? signal.reason : error))
        // Without this listener, Node ends the connection of a 101 without an event.
        .on('upgrade', ({ statusCode }, socket) => {
          socket.destroy();
          resolve({ status: statusCode ?? 0 });
        })
        // The last event of every request. It changes nothing after another one.
        .on('close', () => reject(coded('ECONNRESET', 'The connection ended without a response.')))
        .end(body);
    });
  };
}
