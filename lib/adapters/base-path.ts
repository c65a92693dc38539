// The mount prefix of the adapters that have no router of their own.
import { invalidOption } from '../core/errors.js';
import { originForm } from '../core/routes.js';

/** Returns the prefix without trailing slashes. @throws `options_invalid` unless it is empty or starts with a slash. */
export function toBasePath(basePath = ''): string {
  const trimmed = basePath.replace(/\/+$/, '');
  if (trimmed === '' || (trimmed.startsWith('/') && !/[?#\s]/.test(trimmed))) return trimmed;
  throw invalidOption('/basePath', 'value', 'must start with a slash, such as /claims');
}

/** Returns the path and query below the prefix, or undefined for a request target outside of it. */
export function stripBasePath(url: string, basePath: string): string | undefined {
  const target = originForm(url);
  if (!target.startsWith(basePath)) return undefined;
  const rest = target.slice(basePath.length);
  return rest.startsWith('/') ? rest : undefined;
}
