// The encodings in which the editors and shells of Windows and others write a text.

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

export const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16, little-endian': utf16,
  'UTF-16, big-endian': (text) => utf16(text).swap16(),
};
