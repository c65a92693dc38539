// A reference as people read it out.

/**
 * Splits a reference into groups of four where it has a long run of letters and digits: `S-8K2M9P4T` becomes `S-8K2M` and
 * `9P4T`. The pages set the groups apart by style only, so that a copy of the text is the reference.
 */
export function referenceGroups(reference: string): string[] {
  // A reference has no control characters.
  const separated = reference.replace(/[a-z\d]{8,}/gi, (run) => run.replace(/.{4}(?=.)/g, '$&\0'));
  return separated.split('\0');
}
