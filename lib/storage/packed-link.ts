// A link in memory as one text: most links are minted, kept until they expire, and never looked at again.
import { deepFreeze } from '../core/freeze.js';
import type { Link } from '../core/types.js';

/**
 * A link that takes two objects of the heap instead of some twenty, which the garbage collector would visit again and
 * again for as long as the link lives; and nobody can change it.
 */
export interface PackedLink {
  /** Milliseconds since 1970: what a sweep asks for. */
  readonly expiresAt: number;
  readonly text: string;
}

const MOMENTS = ['createdAt', 'expiresAt', 'openedAt', 'revokedAt', 'submittedAt'] as const;

/** Packs a link; the link itself may be changed afterwards. */
export function packLink(link: Link): PackedLink {
  return { expiresAt: link.expiresAt.getTime(), text: JSON.stringify(link) };
}

/** The link, a new object each time, frozen. */
export function unpackLink({ text }: PackedLink): Link {
  const link = JSON.parse(text);
  for (const name of MOMENTS) if (link[name] !== undefined) link[name] = new Date(link[name]);
  return deepFreeze(link);
}
