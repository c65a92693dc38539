// Describes errors of the file system.

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EEXIST: 'exists already',
  EILSEQ: 'is not text in UTF-8 or UTF-16',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'does not exist: a part of its path is a file',
  EACCES: 'cannot be accessed: this user lacks the permission',
  EPERM: 'cannot be accessed: this user lacks the permission',
  EROFS: 'is on a read-only disk',
  ENOSPC: 'does not fit on the disk, which is full',
};

/** Says why a file cannot be accessed: the end of a sentence that starts with its path. */
export function fileProblem(error: unknown): string {
  const code = errorCode(error);
  return REASONS[code] ?? `cannot be accessed (${code})`;
}

/** Returns the code of a system error, such as ENOENT. */
export function errorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
