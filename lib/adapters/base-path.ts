// The mount prefix of the adapters that have no router of their own.
import { ClaimlinkError } from '../core/errors.js';
import { originForm } from '../core/routes.js';

/** '' or a prefix that starts with a slash and does not end with one. @throws `options_invalid` for anything else. */
export function toBasePath(basePath = ''): string {
  const trimmed = basePath.replace(/\/+$/, '');
  if (trimmed === '' || (trimmed.startsWith('/') && !/[?#\s]/.test(trimmed))) return trimmed;
  const detail = 'must start with a slash, such as /claims';
  throw new ClaimlinkError('options_invalid', `claimlink options: basePath ${detail}.`, {
    details: [{ pointer: '/basePath', rule: 'value', detail }],
  });
}

/** The request target below the prefix, or undefined when it is elsewhere. */
export function stripBasePath(url: string, basePath: string): string | undefined {
  if (basePath === '') return url;
  const target = originForm(url);
  if (!target.startsWith(basePath)) return undefined;
  const rest = target.slice(basePath.length);
  return rest.startsWith('/') ? rest : undefined;
}
