// The memory store of photos: the conformance suite.
import t from 'tap';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { photoStoreSuite } from '../../lib/testing/index.js';

for (const { name, run } of photoStoreSuite(() => createMemoryPhotoStore()))
  t.test(`conformance: ${name}`, run);
