// What an upload may be, and what its user gets to know.
import { isClaimlinkError } from 'claimlink';

export const LIMITS = {
  /** Photos of a link. */
  photos: 10,
  /** Size of a photo. */
  bytes: 10 * 1024 * 1024,
};

const REASONS = {
  photos: [409, `A claim has at most ${LIMITS.photos} photos. Remove one first.`],
  bytes: [413, `A photo has at most ${LIMITS.bytes / 1024 / 1024} MB.`],
  type: [415, 'This is no photo that we can read. Send a JPEG, PNG or WebP file.'],
};

/** Why an upload is not accepted: a status, and a text for the user. */
export class Rejection extends Error {
  constructor(reason) {
    const [status, message] = REASONS[reason];
    super(message);
    this.statusCode = status;
  }
}

/** Texts by the status of an error of claimlink. */
const TEXTS = {
  403: 'This link takes no photos.', // a client with `recipientCheck`: `openLink` needs the answer in each call
  404: 'This link is not valid.',
  410: 'This link takes no more photos.',
};

/** Returns the status of a response to an error, and the text for the user. */
export function reasonOf(error) {
  if (error instanceof Rejection) return [error.statusCode, error.message];
  const status = isClaimlinkError(error) ? error.statusCode : 500;
  return [status, TEXTS[status] ?? 'We could not store the photo. Try again in a moment.'];
}

/** Number of bytes that `typeOf` needs. */
export const HEAD_BYTES = 12;

/** Returns the file extension of an image by its first bytes. Its name and its content type prove nothing. */
export function typeOf(head) {
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  return undefined;
}
