// The options of the adapters that have no router of their own: the mount prefix, and the limits of bodies.
import { assertOptions } from '../core/assert-options.js';
import { basePathProblem, withoutSlashes } from '../http/base-path.js';
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
