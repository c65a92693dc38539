// What a request to a page asks for: an action reads it first, and then does it.
import { invalidBody } from '../../core/errors.js';
import type { ResolvedOptions } from '../../core/options.js';
import type { ResolvedPhotos } from '../../core/photo-options.js';
import { photosOf } from '../../core/photo-settings.js';
import type { Service } from '../../core/service.js';
import type { LinkWithClient } from '../../core/storage.js';
import type { StandaloneWidget } from '../../core/widget.js';
import { MULTIPART_TYPE, mediaTypeOf } from '../body.js';
import type { LinkCookies } from '../link-cookies.js';
import type { CoreRequest } from '../messages.js';
import { FORM_ACTIONS } from '../response-schemas.js';
import type { Outcome, RouteContext } from '../routes.js';
import type { RecipientCheck } from './recipient-check.js';

/** What the pages of a link need. */
export interface Pages {
  service: Service;
  widget: StandaloneWidget;
  options: ResolvedOptions;
  receipts: LinkCookies;
  recipients: RecipientCheck;
}

/** An action that was read from a request. */
export interface ReadAction {
  /** What the user has entered. The page of an error shows it. */
  fields?: URLSearchParams | undefined;
  run(): Promise<Outcome>;
}

/** Reads what an action needs of a form. */
export type FormAction = (
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
  form: URLSearchParams,
) => ReadAction;

export type FormActionName = (typeof FORM_ACTIONS)[number];

/** Returns the action of a form. @throws `request_invalid` */
export function actionOf(form: URLSearchParams): FormActionName {
  const name = form.get('action') ?? 'submit';
  const action = FORM_ACTIONS.find((allowed) => allowed === name);
  if (action !== undefined) return action;
  const detail = `must be one of: ${FORM_ACTIONS.join(', ')}`;
  throw invalidBody([{ pointer: '/action', rule: 'choice', detail }]);
}

/** Returns the option `photos` for a form with photos, which a client takes that asks for them. Absent for other forms. */
export function photosInForm(
  { photos }: Pick<ResolvedOptions, 'photos'>,
  request: CoreRequest,
  { client }: LinkWithClient,
): ResolvedPhotos | undefined {
  const isTaken = photosOf(client.settings).need !== 'hidden' && mediaTypeOf(request) === MULTIPART_TYPE;
  return isTaken ? photos : undefined;
}
