// Storages that break a rule of an interface which a storage may lack.
import type { MemoryStorage } from '../../../lib/storage/memory.js';

/** Returns replacements for some methods of a working storage. */
export type Replace = (working: MemoryStorage) => Partial<MemoryStorage>;

/** Keys complete the sentence "a storage that ...". `detectedBy` matches the name of the case that must fail. */
export type BrokenStorages = Readonly<Record<string, { replace: Replace; detectedBy: RegExp }>>;
