// What every route of a link has: the proof of its access code and its token, and the errors of a link.
import type { Service } from '../../core/service.js';
import type { LinkWithClient } from '../../core/storage.js';
import { UnusableLinkError } from '../../core/unusable-link.js';
import { COMMON_PROBLEMS, parameter } from '../operation.js';
import { type Proof, queryValue, type RouteContext } from '../routes.js';

/** What the access code and the token of a request have proved. */
export interface LinkProof extends Proof {
  verified: LinkWithClient;
  /** Set if the link can no longer be used. */
  problem?: UnusableLinkError;
}

/** The parameters of a route of a link. */
export const PARAMETERS = [
  parameter('path', 'accessCode', 'The access code of the link.'),
  { ...parameter('query', 'token', 'The signed token of the link.'), required: true },
];

/** The problems of a route of a link. */
export const LINK_PROBLEMS = {
  ...COMMON_PROBLEMS,
  403: ['recipient-check-required', 'recipient-check-failed'],
  404: ['link-not-found'],
  410: ['link-expired', 'link-revoked', 'link-submitted'],
  423: ['link-locked'],
  503: [...COMMON_PROBLEMS[503], 'settings-unknown', 'recipient-check-unavailable'],
};

/**
 * Finds the link of a request for a purpose. A link that can no longer be used is proved as well, with its problem.
 * @throws `link_not_found`
 */
export async function proveLink(
  service: Service,
  { params, query }: RouteContext,
  purpose: 'open' | 'submit',
): Promise<LinkProof> {
  try {
    const token = queryValue(new URLSearchParams(query), 'token');
    return toProof(await service.verifyLink(params['accessCode'], token, purpose));
  } catch (error) {
    if (!(error instanceof UnusableLinkError)) throw error;
    return { ...toProof(error.stored), problem: error };
  }
}

function toProof(verified: LinkWithClient): LinkProof {
  const { clientId, userId } = verified.link;
  return { clientId, userId, verified };
}
