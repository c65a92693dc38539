// Content-Security-Policies of pages that load something from other origins.
import { assertOptions, type OptionChecks } from '../core/assert-options.js';

/** Sources to add to a policy (CSP Level 3, 2.3.1), such as `https://widget.example.com`. */
export interface PolicySources {
  scriptSrc?: readonly string[];
  connectSrc?: readonly string[];
  imgSrc?: readonly string[];
  styleSrc?: readonly string[];
  fontSrc?: readonly string[];
  /** What the page shows in frames. The pages that may show this one are `Client.frameAncestors`. */
  frameSrc?: readonly string[];
  workerSrc?: readonly string[];
}

const DIRECTIVES: Readonly<Record<keyof PolicySources, string>> = {
  scriptSrc: 'script-src',
  connectSrc: 'connect-src',
  imgSrc: 'img-src',
  styleSrc: 'style-src',
  fontSrc: 'font-src',
  frameSrc: 'frame-src',
  workerSrc: 'worker-src',
};

const CHECKS = Object.fromEntries(
  Object.keys(DIRECTIVES).map((name) => [name, sourcesProblem]),
) as OptionChecks<PolicySources>;

function sourcesProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of sources';
  const isSafe = value.every((source) => typeof source === 'string' && /^[!-+\--:<-~]+$/.test(source));
  return isSafe ? undefined : 'has a source with spaces, "," or ";"';
}

/**
 * Returns a Content-Security-Policy with further sources, such as the origin of a widget's script.
 * @throws `options_invalid` for an unknown member, and for a source with a character that would begin another source or
 * directive.
 */
export function extendPolicy(policy: string, sources: PolicySources): string {
  const directives = new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...values] = directive.trim().split(/\s+/);
      return [name, values];
    }),
  );
  assertOptions(sources, CHECKS, { pointer: '/sources' });
  for (const [member, added = []] of Object.entries<readonly string[] | undefined>({ ...sources })) {
    const name = DIRECTIVES[member as keyof PolicySources];
    const values = (directives.get(name) ?? []).filter((value) => value !== "'none'");
    if (added.length > 0) directives.set(name, [...new Set([...values, ...added])]);
  }
  return [...directives].map(([name, values]) => [name, ...values].join(' ')).join('; ');
}
