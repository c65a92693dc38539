// Turns errors about options into sentences that name the flag or variable.
import { type ErrorDetail, isClaimlinkError } from '../../lib/index.js';
import { type FlagReader, type FlagSet, UsageError } from './flags.js';

/**
 * Returns a UsageError for `options_invalid`, with one line for each problem; any other error as it is.
 * @param names names of options that have no flag of the same name
 */
export function toUsageError(
  error: unknown,
  flags: Pick<FlagReader<FlagSet>, 'nameOf'>,
  names: Readonly<Record<string, string>> = {},
): unknown {
  if (!isClaimlinkError(error) || error.code !== 'options_invalid') return error;
  const sentences = (error.details ?? []).map(({ pointer = '', detail }: ErrorDetail) => {
    const [, option = '', ...path] = pointer.split('/');
    const member = path.filter((part) => !/^\d+$/.test(part)).join('.');
    return `${names[option] ?? (flags.nameOf(option) || option)}${member ? `: ${member}` : ''} ${detail.replace(/\.$/, '')}.`;
  });
  return new UsageError(sentences.join('\n') || error.message);
}
