// The mount prefix of a service: `/claims`.
import { originForm } from './routes.js';

/** Checks the option `basePath`. */
export function basePathProblem(value: unknown): string | undefined {
  const path = typeof value === 'string' ? withoutSlashes(value) : '-';
  const isPath = path === '' || (path.startsWith('/') && !/[?#\s]/.test(path));
  return isPath ? undefined : 'must start with a slash, such as /claims';
}

/** Returns a prefix without its trailing slashes. */
export function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}

/** Returns the path and query below the prefix, or undefined for a request target outside of it. */
export function stripBasePath(url: string, basePath: string): string | undefined {
  const target = originForm(url);
  if (!target.startsWith(basePath)) return undefined;
  const rest = target.slice(basePath.length);
  return rest.startsWith('/') ? rest : undefined;
}
