// The storage as the service sees it: each call takes time, and may fail before or after its effect.
import { ClaimlinkError } from '../../lib/core/errors.js';
import { STORAGE_METHODS } from '../../lib/core/guarded-storage.js';
import type { Storage } from '../../lib/core/storage.js';
import type { Context, VirtualTime } from './virtual-time.js';

/** Time limit of a storage call. Effects that are late come after it. */
export const STORAGE_TIMEOUT_SECONDS = 2;

const METHOD_NAMES: readonly string[] = Object.values(STORAGE_METHODS).flat();

/** The context of a call. */
export interface StorageContext extends Context {
  /** false: the call takes no time and does not fail. */
  hasFaults: boolean;
  /** Names the call in the log. */
  label: string;
}

/** Creates the storage over one that answers at once. */
export function createUnreliableStorage<S extends Storage>(
  storage: Storage,
  time: VirtualTime,
  record: (text: () => string) => void,
): S {
  const methods = storage as unknown as Record<string, (...args: unknown[]) => unknown>;

  function callStorage(name: string, call: () => unknown): Promise<unknown> {
    const context = time.context as StorageContext;
    const { hasFaults, random } = context;
    const fate = hasFaults ? random.below(20) : 20;
    const delayMs = hasFaults ? random.below(random.pick([2, 20, 400])) : 0;
    return new Promise((resolve, reject) => {
      const answer = (after: number, run: () => void) => time.schedule(after, run, context);
      const fail = (text: string) => {
        record(() => `${context.label} storage ${name} ${text}`);
        return new ClaimlinkError('storage_unavailable', 'injected');
      };
      if (fate === 0) {
        answer(delayMs, () => reject(fail('fails before its effect')));
        return;
      }
      // The effect belongs to the database: it comes even if the process crashes.
      const effectMs = fate === 1 ? STORAGE_TIMEOUT_SECONDS * 1000 + delayMs : delayMs;
      time.schedule(
        effectMs,
        () => {
          let settle: () => void;
          try {
            const result = call();
            settle = () => resolve(result);
          } catch (error) {
            settle = () => reject(error);
          }
          if (fate === 1) record(() => `${context.label} storage ${name} takes effect late`);
          else if (fate === 2) answer(delayMs, () => reject(fail('fails after its effect')));
          else if (fate === 3) record(() => `${context.label} storage ${name} never answers`);
          else answer(hasFaults ? random.below(20) : 0, settle);
        },
        undefined,
      );
    });
  }

  return Object.fromEntries(
    METHOD_NAMES.filter((name) => name in methods).map((name) => [
      name,
      (...args: unknown[]) => callStorage(name, () => methods[name]?.(...args)),
    ]),
  ) as unknown as S;
}
