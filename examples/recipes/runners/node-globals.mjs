// Gives node:test the global names of Vitest and Jest.
import { after, beforeEach, test } from 'node:test';

Object.assign(globalThis, { afterAll: after, beforeEach, test });
