// The page that confirms what a recipient asked for, and what each page of a link without a form tells of it.
import type { LinkWithClient } from '../../core/storage.js';
import type { UnavailableView } from '../../core/widget.js';
import { type CoreRequest, emptyResponse } from '../messages.js';
import { prefersJson, renderPage } from '../page.js';
import type { Outcome } from '../routes.js';
import type { Pages } from './page-action.js';

/** Returns the page that confirms what the recipient asked for. */
export async function confirm(
  { widget }: Pages,
  request: CoreRequest,
  verified: LinkWithClient,
  view: Pick<UnavailableView, 'code' | 'declined' | 'renewal' | 'fields'>,
): Promise<Outcome> {
  if (prefersJson(request)) return { response: emptyResponse() };
  const { client } = verified;
  const response = await renderPage(widget, 200, request, { client }, (page) =>
    widget.renderUnavailable({ ...page, status: 200, ...linkViewOf(verified), ...view }),
  );
  return { response };
}

/** Returns what the page of a link without a form tells of it. */
export function linkViewOf({ link, client }: LinkWithClient) {
  return {
    linkId: link.accessCodeHash,
    contact: link.config.contact,
    ...(client.name !== undefined && { clientName: client.name }),
  };
}
