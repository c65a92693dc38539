// Forms in parts, as a browser without JavaScript sends them.
import { createHash } from 'node:crypto';

export const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
export const PARTS_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A file of a form: its name and its bytes. */
export type FormFile = readonly [name: string, bytes: Uint8Array];

/** Returns a part with these lines as its head. */
export function part(head: string, value: Uint8Array | string): Buffer {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${head}\r\n\r\n`),
    Buffer.from(value as string),
    Buffer.from('\r\n'),
  ]);
}

export const field = (name: string, value: string): Buffer =>
  part(`Content-Disposition: form-data; name="${name}"`, value);

export const file = ([name, bytes]: FormFile, fieldName = 'photos'): Buffer =>
  part(
    `Content-Disposition: form-data; name="${fieldName}"; filename="${name}"\r\nContent-Type: image/jpeg`,
    bytes,
  );

export const END: Buffer = Buffer.from(`--${BOUNDARY}--\r\n`);

/** Returns the body of a form: its fields, and then its files. */
export function formInParts(fields: Iterable<readonly [string, string]>, files: readonly FormFile[]): Buffer {
  return Buffer.concat([
    ...Array.from(fields, ([name, value]) => field(name, value)),
    ...files.map((entry) => file(entry)),
    END,
  ]);
}

/** Returns a photo by its first bytes. Each number makes another one. */
export function jpeg(size: number, number = 1): Buffer {
  return Buffer.concat([Buffer.from('ffd8ffe1', 'hex'), Buffer.alloc(size - 4, number)]);
}

/** Returns the id that a photo has by its bytes. */
export const idOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
