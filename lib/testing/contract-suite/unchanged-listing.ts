// Repeats rules that compare two responses of one listing, because other callers may submit claims in between.

import type { Deployment } from './deployment.js';
import type { WireSession } from './response.js';

/** More claims than other callers submit for one user during one rule. */
const ATTEMPTS = 20;

/** Runs a check of the listing. A failure counts only if the listing is the same before and after the check. */
export async function whileUnchanged(
  deployment: Deployment,
  check: (listing: readonly WireSession[]) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await deployment.listSomeSessions();
    try {
      return await check(before);
    } catch (error) {
      const after = await deployment.listSessions();
      if (attempt === ATTEMPTS || referencesText(before) === referencesText(after)) throw error;
    }
  }
}

function referencesText(listing: readonly WireSession[]): string {
  return JSON.stringify(referencesOf(listing));
}

/** Returns the references without a check of their types. */
export function referencesOf(listing: readonly WireSession[]): unknown[] {
  return listing.map((session) => session?.['reference']);
}
