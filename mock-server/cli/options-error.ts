// Turns errors about options into sentences that name the flag or variable.
import { type ErrorDetail, isClaimlinkError } from '../../lib/index.js';
import { UsageError } from './flags.js';

/**
 * Returns a UsageError for `options_invalid`, with one line for each problem; any other error as it is.
 * `nameOf` returns the name of an option as the caller wrote it, or undefined for an option without a flag.
 */
export function toUsageError(error: unknown, nameOf: (option: string) => string | undefined): unknown {
  if (!isClaimlinkError(error) || error.code !== 'options_invalid') return error;
  const sentences = (error.details ?? []).map(({ pointer = '', detail }: ErrorDetail) => {
    const [, option = '', ...path] = pointer.split('/');
    const member = path.filter((part) => !/^\d+$/.test(part)).join('.');
    return `${nameOf(option) ?? option}${member ? `: ${member}` : ''} ${detail.replace(/\.$/, '')}.`;
  });
  return new UsageError(sentences.join('\n') || error.message);
}
