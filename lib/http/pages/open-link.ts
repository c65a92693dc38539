// Opens a link: its form, or the question to its recipient.
import { latestIncidentDate } from '../../core/claim-rules.js';
import { photosOf } from '../../core/photo-settings.js';
import { createQrCode } from '../../core/qr-code.js';
import { RecipientCheckError } from '../../core/recipient-check.js';
import type { LinkWithClient } from '../../core/storage.js';
import type { OpenLink } from '../../core/types.js';
import { linkUrl } from '../../core/url.js';
import type { FormView } from '../../core/widget.js';
import type { CoreResponse } from '../messages.js';
import { prefersJson, renderPage } from '../page.js';
import { type Outcome, queryValue, type RouteContext } from '../routes.js';
import { PHOTO_NAMES } from './claim-fields.js';
import type { Pages } from './page-action.js';
import { declineOf } from './recipient-check.js';

/** Opens a link that can be used. */
export async function openLink(
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
): Promise<Outcome> {
  const { service, recipients } = pages;
  const { request } = context;
  try {
    const recipient = recipients.prove(request, verified);
    const link = await service.openLink(verified, request.method !== 'HEAD', recipient);
    return { response: await renderForm(pages, 200, context, verified, link) };
  } catch (error) {
    if (!(error instanceof RecipientCheckError) || prefersJson(request)) throw error;
    return recipients.ask(context, verified, error);
  }
}

/** Renders the form of a link. */
export function renderForm(
  { widget, options, service }: Pages,
  status: number,
  context: RouteContext,
  verified: LinkWithClient,
  link: OpenLink,
  entered: Pick<FormView, 'fields' | 'problems' | 'photoProblems' | 'recipientProof' | 'declineProblem'> = {},
): Promise<CoreResponse> {
  const { callbackUrl } = link;
  const time = options.now();
  const { client } = verified;
  const hasLanguages = entered.fields === undefined && entered.declineProblem === undefined;
  const hasPhotos = photosOf(client.settings).need !== 'hidden';
  const page = { callbackUrl, client, hasLanguages, hasPhotos };
  return renderPage(widget, status, context.request, page, async (view) =>
    widget.renderForm({
      ...view,
      link,
      now: time,
      latestIncidentDate: latestIncidentDate(time),
      ...(options.events.includes('link.started') && { reportsStart: true as const }),
      ...declineOf(client),
      ...(hasPhotos && options.photos && (await photosOfForm(service, verified, entered.fields))),
      ...(await qrCodeOf(options.publicUrl, context, verified)),
      ...entered,
    }),
  );
}

/**
 * Returns the photos of the link, with the names that its form says, unless their store fails, and the part of the built-in
 * form for them.
 */
async function photosOfForm(
  service: Pages['service'],
  verified: LinkWithClient,
  fields: URLSearchParams | undefined,
): Promise<Pick<FormView, 'photos' | 'photosPart'>> {
  const photos = await service.photos.shownOn(verified);
  const { PHOTOS_STYLE, PHOTOS_SCRIPT } = await import('../../generated/photo-assets.js');
  const names = new URLSearchParams(fields?.get(PHOTO_NAMES) ?? '');
  return {
    ...(photos && {
      photos: photos.map((photo) => {
        const name = names.get(photo.id);
        return name ? { ...photo, name } : photo;
      }),
    }),
    photosPart: { style: PHOTOS_STYLE, script: PHOTOS_SCRIPT },
  };
}

/** Returns the QR code of the link, if its client shows it. */
async function qrCodeOf(
  publicUrl: string,
  { params, query }: RouteContext,
  { client }: LinkWithClient,
): Promise<Pick<FormView, 'qrCode'>> {
  if (client.settings?.continueOnPhone !== true) return {};
  const token = queryValue(new URLSearchParams(query), 'token') ?? '';
  const url = linkUrl(publicUrl, params['accessCode'] ?? '', token);
  const { primaryColor } = client.branding ?? {};
  return { qrCode: await createQrCode(url, primaryColor === undefined ? {} : { color: primaryColor }) };
}
