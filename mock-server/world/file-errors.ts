// What the file system reports, in words.

/** Why a file cannot be reached, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  switch (code) {
    case 'ENOENT':
      return 'is not there';
    case 'EISDIR':
      return 'is a folder, and must be a file';
    case 'ENOTDIR':
      return 'is not there: a part of its path is a file';
    case 'EACCES':
    case 'EPERM':
      return 'is out of reach: this user lacks the rights';
    case 'EROFS':
      return 'is on a disk that is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'does not fit on the disk, which is full';
    default:
      return `is out of reach${code === '' ? '' : ` (${code})`}`;
  }
}

/** What the system calls an error, such as ENOENT. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
