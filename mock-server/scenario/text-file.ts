// The encoding of files that people edit: editors and shells of Windows write others than UTF-8.

/**
 * Returns the text of a file. A byte order mark names its encoding, and is removed: UTF-8, or UTF-16, in which Windows
 * PowerShell 5.1 redirects the output of a command. Without one it is UTF-8.
 * @throws an error with the code `EILSEQ` for other bytes
 */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const mark =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff && 'utf-16be';
  let text: string | undefined;
  try {
    text = new TextDecoder(mark || 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The message below names the encodings.
  }
  // UTF-16 without a mark is valid UTF-8 with these characters.
  if (text !== undefined && !text.includes('\0')) return text;
  throw Object.assign(new Error('it is not text in UTF-8 or UTF-16'), { code: 'EILSEQ' });
}
