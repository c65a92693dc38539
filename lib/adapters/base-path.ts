// The options of the adapters that have no router of their own: the mount prefix, and the limits of bodies.
import { assertOptions } from '../core/assert-options.js';
import { originForm } from '../http/routes.js';
import { BODY_CHECKS, type BodyLimits, type BodyOptions, resolveBodyLimits } from './request-body.js';

/** Options of the adapters without a router. */
interface MountOptions extends BodyOptions {
  basePath?: string;
}

/** Returns the prefix without trailing slashes, and the limits. @throws `options_invalid`. */
export function resolveMount(options: MountOptions): { basePath: string; limits: BodyLimits } {
  assertOptions(options, { ...BODY_CHECKS, basePath: basePathProblem });
  const { basePath = '' } = options;
  return { basePath: withoutSlashes(basePath), limits: resolveBodyLimits(options) };
}

function basePathProblem(value: unknown): string | undefined {
  const path = typeof value === 'string' ? withoutSlashes(value) : '-';
  const isPath = path === '' || (path.startsWith('/') && !/[?#\s]/.test(path));
  return isPath ? undefined : 'must start with a slash, such as /claims';
}

function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}

/** Returns the path and query below the prefix, or undefined for a request target outside of it. */
export function stripBasePath(url: string, basePath: string): string | undefined {
  const target = originForm(url);
  if (!target.startsWith(basePath)) return undefined;
  const rest = target.slice(basePath.length);
  return rest.startsWith('/') ? rest : undefined;
}
