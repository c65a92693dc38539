// The key of the text of a link on the device: no part of it is secret.

/** What the key of each text begins with. */
export const KEY_START = 'claimlink-draft:';

/** Returns the key of a link. */
export const deviceKey = (clientId: string, linkId: string) => `${KEY_START}${clientId}:${linkId}`;
