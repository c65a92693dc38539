// Removes the texts on this device whose end has come.
import { removeEnded } from '../device-copy.js';

try {
  removeEnded(localStorage, Date.now());
} catch {
  // The browser blocks the storage: it has no text.
}
