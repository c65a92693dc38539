// For rules that compare two answers of one listing: others may submit between them.
import type { ContractWorld, WireSession } from './world.js';

/** More than anybody submits for one user during one rule. */
const ATTEMPTS = 20;

/** Runs a check of the listing; what it finds counts only if the listing is the same before and after. */
export async function whileStill(
  world: ContractWorld,
  check: (listing: readonly WireSession[]) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await world.someSessions();
    try {
      return await check(before);
    } catch (error) {
      const after = await world.sessions();
      if (attempt === ATTEMPTS || namesOf(before) === namesOf(after)) throw error;
    }
  }
}

function namesOf(listing: readonly WireSession[]): string {
  return JSON.stringify(referencesOf(listing));
}

/** The references, unchecked. */
export function referencesOf(listing: readonly WireSession[]): unknown[] {
  return listing.map((session) => session?.['reference']);
}
