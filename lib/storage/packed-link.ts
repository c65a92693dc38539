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

/** A link as JSON has it: moments in milliseconds since 1970, which are read and written faster than dates. */
type LinkText = { [Name in keyof Link]: Link[Name] extends Date | undefined ? number : Link[Name] };

/** Packs a link; the link itself may be changed afterwards. */
export function packLink(link: Link): PackedLink {
  const { openedAt, revokedAt, submittedAt } = link;
  const expiresAt = link.expiresAt.getTime();
  const text: LinkText = {
    accessCodeHash: link.accessCodeHash,
    clientId: link.clientId,
    userId: link.userId,
    callbackUrl: link.callbackUrl,
    callbackOnSubmit: link.callbackOnSubmit,
    config: link.config,
    createdAt: link.createdAt.getTime(),
    expiresAt,
  };
  if (openedAt !== undefined) text.openedAt = openedAt.getTime();
  if (revokedAt !== undefined) text.revokedAt = revokedAt.getTime();
  if (submittedAt !== undefined) text.submittedAt = submittedAt.getTime();
  return { expiresAt, text: JSON.stringify(text) };
}

/** The link, a new object each time, frozen. */
export function unpackLink({ text }: PackedLink): Link {
  const { createdAt, expiresAt, openedAt, revokedAt, submittedAt, ...link }: LinkText = JSON.parse(text);
  return deepFreeze({
    ...link,
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    ...(openedAt !== undefined && { openedAt: new Date(openedAt) }),
    ...(revokedAt !== undefined && { revokedAt: new Date(revokedAt) }),
    ...(submittedAt !== undefined && { submittedAt: new Date(submittedAt) }),
  });
}
