// The photo store suite: every rule of the port of photos (lib/core/photo-store.ts) as a case.
import {
  assertOptions,
  missingMethods,
  mustBeFunction,
  type OptionChecks,
} from '../../core/assert-options.js';
import type { PhotoStore } from '../../core/photo-store.js';
import type { Awaitable } from '../../core/types.js';
import type { ConformanceCase } from '../storage-suite/conformance-case.js';
import type { PhotoRule } from './photos.js';
import { photoRaceRules } from './races.js';
import { removingRules } from './removing.js';
import { storingRules } from './storing.js';

/** Options of `photoStoreSuite`. */
export interface PhotoStoreSuiteOptions {
  /**
   * Returns two stores on one empty place, as two processes have them. The rules about concurrent calls then have a second
   * case, whose calls go to the two in turn.
   */
  createPair?: () => Awaitable<readonly [PhotoStore, PhotoStore]>;
}

const CHECKS: OptionChecks<PhotoStoreSuiteOptions> = { createPair: mustBeFunction };

const METHODS = ['put', 'list', 'get', 'delete', 'links'] as const satisfies readonly (keyof PhotoStore)[];

/**
 * Returns the cases that every store of photos must pass. Each case creates its own store, which must be empty: give it a
 * folder or a prefix of its own. Cases may run in any order, and at the same time.
 *
 * ```ts
 * for (const { name, run } of photoStoreSuite(() => createMyStore(newPrefix()))) test(name, run);
 * ```
 *
 * @throws `options_invalid` for an unknown or invalid option.
 */
export function photoStoreSuite(
  createStore: () => Awaitable<PhotoStore>,
  options: PhotoStoreSuiteOptions = {},
): ConformanceCase[] {
  assertOptions(options, CHECKS);
  const { createPair } = options;
  const toCase = ({ name, check }: PhotoRule): ConformanceCase => ({
    name,
    run: async () => check(checked(await createStore())),
  });
  const toPairCase = ({ name, check }: PhotoRule): ConformanceCase => ({
    name: `two stores: ${name}`,
    async run() {
      if (createPair === undefined) return;
      const [first, second] = await createPair();
      await check(alternate(checked(first), checked(second)));
    },
  });
  return [
    ...[...storingRules, ...removingRules, ...photoRaceRules].map(toCase),
    ...(createPair ? photoRaceRules.map(toPairCase) : []),
  ];
}

/** Returns the store. @throws TypeError for one that lacks a method. */
function checked(store: PhotoStore): PhotoStore {
  const missing = missingMethods(store, METHODS);
  if (missing.length === 0) return store;
  throw new TypeError(`The store lacks ${missing.join(', ')} of PhotoStore.`);
}

/** Returns a store whose calls go to two stores in turn. */
function alternate(first: PhotoStore, second: PhotoStore): PhotoStore {
  let calls = 0;
  const next = () => (calls++ % 2 === 0 ? first : second);
  return {
    put: (photo, body, options) => next().put(photo, body, options),
    list: (link) => next().list(link),
    get: (photo) => next().get(photo),
    delete: (photos) => next().delete(photos),
    links: (page) => next().links(page),
  };
}
