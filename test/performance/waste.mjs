// A service that does more than it needs, once of each kind that is counted: to see that the guard sees it.
import { hash, randomBytes } from 'node:crypto';

/** Holds on to what was wasted, so that no compiler leaves it out. */
export const wasted = [];

/** The same service; each request also costs one of everything, and 80 kB. */
export function waste(claimlink, storage) {
  return {
    ...claimlink,
    async handle(request) {
      await storage.findClient('nobody');
      clearTimeout(setTimeout(() => {}, 1000));
      const made = new Function('return []')();
      const url = new URL('https://claims.example.com/');
      made.push(hash('sha256', 'x', 'hex'), randomBytes(1), JSON.parse('1'), JSON.stringify(1), url);
      made.push(structuredClone({}), new Array(10_000).fill(0));
      wasted[0] = made;
      return claimlink.handle(request);
    },
  };
}
