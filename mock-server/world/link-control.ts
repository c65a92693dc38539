// Drives links without a browser: opens, submits, expires and revokes them by the service's own use cases.
import {
  type Claimlink,
  ClaimlinkError,
  type ClaimSubmission,
  isClaimlinkError,
  type PolicyPrefill,
} from '../../lib/index.js';
import type { LinkSubmissionResult, MockControl } from '../control.js';
import type { Seeder } from '../seed/seed.js';
import type { Clocks } from './clocks.js';
import type { LinkRegistry, RegisteredLink } from './link-registry.js';

/** The part of the control that is about links. */
export type LinkControl = Pick<
  MockControl,
  'links' | 'openLink' | 'submitLink' | 'expireLink' | 'revokeLink'
>;

/** What it is made of. */
export interface LinkControlOptions {
  claimlink: Claimlink;
  registry: LinkRegistry;
  clocks: Clocks;
  seeder: Pick<Seeder, 'claimOf'>;
}

/** Makes it. */
export function createLinkControl({ claimlink, registry, clocks, seeder }: LinkControlOptions): LinkControl {
  /** Runs a use case with code and token of a link, at the time of its client. */
  function withLink<T>(found: RegisteredLink, use: (accessCode: string, token: string) => Promise<T>) {
    const { pathname, searchParams } = new URL(found.url);
    const accessCode = pathname.slice(pathname.lastIndexOf('/') + 1);
    return clocks.runFor(found.link.clientId, () => use(accessCode, searchParams.get('token') ?? ''));
  }

  async function submit(found: RegisteredLink, claim: ClaimSubmission): Promise<LinkSubmissionResult> {
    const { reference, redirectUrl, repeated } = await withLink(found, (accessCode, token) =>
      claimlink.submitClaim(accessCode, token, claim),
    );
    return { reference, ...(redirectUrl !== undefined && { redirectUrl }), repeated };
  }

  /** A claim that is made up, with what the link prefills. */
  async function submitMadeUp(found: RegisteredLink): Promise<LinkSubmissionResult> {
    const { clientId, userId, config } = found.link;
    const claim = seeder.claimOf(clientId, userId, found.ordinal);
    if (config.policy === undefined) return submit(found, claim);
    try {
      return await submit(found, withPrefill(claim, config.policy));
    } catch (error) {
      // What a link prefills need not be what a claim may hold.
      if (isClaimlinkError(error) && error.code === 'request_invalid') return submit(found, claim);
      throw error;
    }
  }

  /** @throws what a link that is over would answer with, unless it is over in the way that is wanted */
  function assertUsable(found: RegisteredLink, wanted?: 'expired'): void {
    const { state } = registry.describe(found);
    if (state === 'created' || state === 'opened' || state === wanted) return;
    throw new ClaimlinkError(`link_${state}`);
  }

  return {
    links: (filter) => registry.list(filter),
    async openLink(link) {
      const found = registry.find(link);
      await withLink(found, (accessCode, token) => claimlink.openLink(accessCode, token));
      return registry.describe(found);
    },
    async submitLink(link, claim) {
      const found = registry.find(link);
      return claim === undefined ? submitMadeUp(found) : submit(found, claim);
    },
    expireLink(link) {
      const found = registry.find(link);
      assertUsable(found, 'expired');
      const described = registry.describe(found);
      return described.state === 'expired'
        ? described
        : registry.expire(found, clocks.nowOf(found.link.clientId));
    },
    async revokeLink(link) {
      const found = registry.find(link);
      assertUsable(found);
      await withLink(found, (accessCode) => claimlink.revokeLink(found.link.clientId, accessCode));
      return registry.describe(found);
    },
  };
}

function withPrefill(
  claim: ClaimSubmission,
  { holder, vehicle, ...prefill }: PolicyPrefill,
): ClaimSubmission {
  const { policy } = claim;
  const { number, provider, validFrom, validTo } = prefill;
  return {
    ...claim,
    policy: {
      ...policy,
      ...filled({ number, provider }),
      ...(validFrom && validTo && { validFrom, validTo }),
      holder: { ...policy.holder, ...filled(holder ?? {}) },
      vehicle: { ...policy.vehicle, ...filled(vehicle ?? {}) },
    },
  };
}

/** The members that have a text in them. */
function filled<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
