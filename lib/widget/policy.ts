// Content-Security-Policies of pages that load something from other origins.

/** Sources to add to a policy (CSP Level 3, 2.3.1), such as `https://widget.example.com`. */
export interface PolicySources {
  scriptSrc?: readonly string[];
  connectSrc?: readonly string[];
  imgSrc?: readonly string[];
  styleSrc?: readonly string[];
}

const DIRECTIVES: ReadonlyMap<string, string> = new Map<keyof PolicySources, string>([
  ['scriptSrc', 'script-src'],
  ['connectSrc', 'connect-src'],
  ['imgSrc', 'img-src'],
  ['styleSrc', 'style-src'],
]);

/**
 * Returns a Content-Security-Policy with further sources, such as the origin of a widget's script.
 * @throws TypeError for an unknown member, and for a source with a character that would begin another source or
 * directive.
 */
export function extendPolicy(policy: string, sources: PolicySources): string {
  const directives = new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...values] = directive.trim().split(/\s+/);
      return [name, values];
    }),
  );
  for (const [member, added] of Object.entries(sources)) {
    const name = DIRECTIVES.get(member);
    if (name === undefined) {
      throw new TypeError(`extendPolicy knows ${[...DIRECTIVES.keys()].join(', ')}, and not ${member}.`);
    }
    if (!Array.isArray(added)) throw new TypeError(`${member} must be a list of sources.`);
    for (const source of added) {
      if (!/^[!-+\--:<-~]+$/.test(source))
        throw new TypeError(`${name} has a source with spaces, "," or ";".`);
    }
    const values = (directives.get(name) ?? []).filter((value) => value !== "'none'");
    if (added.length > 0) directives.set(name, [...new Set([...values, ...added])]);
  }
  return [...directives].map(([name, values]) => [name, ...values].join(' ')).join('; ');
}
