// Tells the host that the person at an expired link asks for another one.

import type { LinkWithClient } from '../../core/storage.js';
import type { UnusableLinkError } from '../../core/unusable-link.js';
import { FORM_TYPE, isOwnForm, mediaTypeOf, readForm } from '../body.js';
import type { RouteContext } from '../routes.js';
import { claimFieldsOf } from './claim-fields.js';
import { confirm } from './confirmation.js';
import { actionOf, type Pages, type ReadAction } from './page-action.js';

/** Reads the form of an expired link that asks for another one. @throws the problem of the link if it takes no form. */
export async function requestRenewal(
  pages: Pages,
  { request }: RouteContext,
  verified: LinkWithClient,
  problem: UnusableLinkError,
): Promise<ReadAction> {
  const { service } = pages;
  if (problem.code !== 'link_expired' || !service.offersRenewal || mediaTypeOf(request) !== FORM_TYPE)
    throw problem;
  const form = await readForm(request);
  const fields = isOwnForm(request) ? claimFieldsOf(form) : undefined;
  if (actionOf(form) !== 'renew') return { fields, run: () => Promise.reject(problem) };
  return {
    async run() {
      await service.requestRenewal(verified);
      const view = { code: 'link_expired', renewal: 'requested', ...(fields && { fields }) } as const;
      return confirm(pages, request, verified, view);
    },
  };
}
