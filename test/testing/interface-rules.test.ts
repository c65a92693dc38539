// The rules of each interface that a storage may lack: each detects a broken storage, and none runs without the methods.
import t from 'tap';
import { STORAGE_METHODS } from '../../lib/core/guarded-storage.js';
import type { LinkRef, LinkWithClient } from '../../lib/core/storage.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { storageSuite } from '../../lib/testing/index.js';
import { BROKEN_CHECK } from './broken/check.js';
import { BROKEN_CLIENT } from './broken/client.js';
import { BROKEN_IDEMPOTENCY } from './broken/idempotency.js';
import { BROKEN_KEY_USE } from './broken/key-use.js';
import { BROKEN_SEARCH } from './broken/search.js';
import type { BrokenStorages, Replace } from './broken/types.js';

const INTERFACES = {
  CheckStorage: BROKEN_CHECK,
  ClientStorage: BROKEN_CLIENT,
  IdempotencyStorage: BROKEN_IDEMPOTENCY,
  KeyUseStorage: BROKEN_KEY_USE,
  SearchStorage: BROKEN_SEARCH,
} as const satisfies Partial<Record<keyof typeof STORAGE_METHODS, BrokenStorages>>;

/** Returns the rules of an interface, over a storage with these replacements. */
function rulesOf(name: keyof typeof INTERFACES, replace: Replace = () => ({})) {
  return storageSuite(() => {
    const working = createMemoryStorage();
    return { ...working, ...replace(working) };
  }).filter(({ needs }) => needs === name);
}

for (const name of Object.keys(INTERFACES) as (keyof typeof INTERFACES)[]) {
  const broken: BrokenStorages = INTERFACES[name];

  t.test(`each rule of ${name} detects a broken storage`, async (t) => {
    for (const rule of rulesOf(name))
      t.ok(
        Object.values(broken).some(({ detectedBy }) => detectedBy.test(rule.name)),
        rule.name,
      );
  });

  for (const [defect, { replace, detectedBy }] of Object.entries(broken))
    t.test(`${name}: a storage that ${defect} fails the case about it`, async (t) => {
      const [rule] = rulesOf(name, replace).filter((rule) => detectedBy.test(rule.name));
      await t.rejects(rule?.run() ?? Promise.resolve());
    });

  t.test(`a storage without the methods of ${name} passes the cases about them`, async (t) => {
    const without = Object.fromEntries(STORAGE_METHODS[name].map((method) => [method, undefined]));
    const cases = rulesOf(name, () => without as Partial<MemoryStorage>);
    t.equal(cases.length, rulesOf(name).length);
    for (const { name, run } of cases) t.equal(await run(), undefined, name);
  });
}

t.test('a storage that does not tell the attempts passes the cases of CheckStorage', async (t) => {
  const cases = rulesOf('CheckStorage', ({ findLink }) => ({
    async findLink(id: LinkRef) {
      const { checkAttempts: _, ...stored } = (await findLink(id)) ?? {};
      return 'link' in stored ? (stored as LinkWithClient) : undefined;
    },
  }));
  for (const { name, run } of cases) t.equal(await run(), undefined, name);
});
