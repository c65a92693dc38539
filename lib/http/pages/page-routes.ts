// The routes of the pages of a link: opening it, and what its form asks for, such as submitting its claim.
import type { ResolvedOptions } from '../../core/options.js';
import type { Service } from '../../core/service.js';
import type { StandaloneWidget } from '../../core/widget.js';
import { FORM_TYPE, JSON_TYPE, MULTIPART_TYPE, mediaTypeOf, readForm } from '../body.js';
import { createReceiptCookies } from '../link-cookies.js';
import { emptyResponse } from '../messages.js';
import { BODY_PROBLEMS, header, json, type Operation, page, problems } from '../operation.js';
import {
  formSchema,
  photoFormSchema,
  submissionResponseSchema,
  submittedClaimSchema,
} from '../response-schemas.js';
import { PAGE_PATH, type Route, type RouteHandler } from '../routes.js';
import { answerQuestion } from './answer-question.js';
import { declineLink } from './decline-link.js';
import { renderError } from './error-page.js';
import { LINK_PROBLEMS, type LinkProof, PARAMETERS, proveLink } from './link-proof.js';
import { openLink } from './open-link.js';
import {
  actionOf,
  type FormAction,
  type FormActionName,
  type Pages,
  photosInForm,
  type ReadAction,
} from './page-action.js';
import { createPhotoRoutes } from './photo-routes.js';
import { createRecipientCheck } from './recipient-check.js';
import { requestRenewal } from './request-renewal.js';
import { startLink } from './start-link.js';
import { submitForm, submitJson } from './submit-claim.js';

const RECEIPT_HEADERS = {
  'Set-Cookie': {
    ...header(
      'Lets this browser see the answers again, for a while. Absent if this claim is not the stored one.',
    ),
    required: false,
  },
};

const OPEN_LINK: Route & Operation = {
  method: 'GET',
  path: PAGE_PATH,
  operationId: 'openLink',
  tag: 'pages',
  summary: 'Opens the widget in a browser; never consumes the link.',
  description:
    'Mail scanners may open a link, and users may reload it. The page of a client with recipientCheck asks the recipient first, and a locked link gets a 423. An error is a page, or a problem as JSON.',
  parameters: PARAMETERS,
  responses: {
    200: { content: page('form') },
    ...problems({ ...LINK_PROBLEMS, 400: ['request-invalid-token'] }, page()),
  },
};

const SUBMIT_CLAIM: Route & Operation = {
  method: 'POST',
  path: PAGE_PATH,
  operationId: 'submitClaim',
  tag: 'pages',
  summary: 'Submits the claim of a link, once; a repeat gets the first outcome.',
  description:
    'The claim creates a session. The response is a redirect to the callback URL, a page or JSON. A form with action=check answers the question of a client with recipientCheck; a right answer sets a cookie, or is the form with a proof for a browser without cookies. With action=decline it revokes the link of a client with allowDecline. With action=start and action=renew it tells the host that a person fills in the form, and that the recipient of an expired link asks for another one. A form in parts is a claim with photos, of a client that asks for them.',
  parameters: PARAMETERS,
  body: {
    ...json(submittedClaimSchema, 'submissions', 'full', 'minimal'),
    [FORM_TYPE]: { schema: formSchema },
    [MULTIPART_TYPE]: { schema: photoFormSchema },
  },
  responses: {
    200: {
      headers: RECEIPT_HEADERS,
      content: {
        ...json(
          submissionResponseSchema,
          'responses',
          'submission',
          'submission-without-redirect',
          'submission-changed',
        ),
        ...page('success'),
      },
    },
    204: {
      description:
        'A form with action=start, or another action without a claim for a client that prefers JSON.',
    },
    303: {
      description: 'Success. The browser follows the redirect to the callback URL.',
      headers: {
        Location: header('The callback URL of the link, with its placeholders replaced.'),
        ...RECEIPT_HEADERS,
      },
    },
    ...problems(
      {
        ...LINK_PROBLEMS,
        ...BODY_PROBLEMS,
        400: ['request-invalid-claim'],
        503: [...LINK_PROBLEMS[503], 'validation-unavailable'],
      },
      page(),
    ),
  },
};

/** What the form of a page does, by its member `action`. */
const ACTIONS: Readonly<Record<FormActionName, FormAction>> = {
  submit: submitForm,
  check: answerQuestion,
  start: startLink,
  decline: declineLink,
  // Only the page of an expired link asks for another one.
  renew: () => ({ run: async () => ({ response: emptyResponse() }) }),
};

/** Creates the routes. */
export function createPageRoutes(
  service: Service,
  widget: StandaloneWidget,
  options: ResolvedOptions,
  builtInWidget: () => Required<Pick<StandaloneWidget, 'renderCheck'>>,
): RouteHandler[] {
  const receipts = createReceiptCookies(options);
  const recipients = createRecipientCheck(widget, options, builtInWidget);
  const pages: Pages = { service, widget, options, receipts, recipients };

  const open: RouteHandler<LinkProof> = {
    ...OPEN_LINK,
    authenticate: (context) => proveLink(service, context, 'open'),
    async handle(context, { verified, problem }) {
      if (problem !== undefined) throw problem;
      return openLink(pages, context, verified);
    },
    renderError: (problem, request, proof) => renderError(pages, problem, request, proof?.verified),
  };

  const submit: RouteHandler<LinkProof, ReadAction> = {
    ...SUBMIT_CLAIM,
    authenticate: (context) => proveLink(service, context, 'submit'),
    async read(context, { verified, problem }) {
      // An unusable link is rejected before the body is read. A submitted one gets the first result again.
      if (problem !== undefined) return requestRenewal(pages, context, verified, problem);
      if (mediaTypeOf(context.request) === JSON_TYPE) return submitJson(pages, context, verified);
      const photos = photosInForm(options, context.request, verified);
      if (photos !== undefined) {
        const { submitPhotoForm } = await import('./photo-form.js');
        return submitPhotoForm(pages, context, verified, photos);
      }
      const form = await readForm(context.request);
      return ACTIONS[actionOf(form)](pages, context, verified, form);
    },
    handle: (_context, _proof, action) => action.run(),
    renderError: (problem, request, proof, action) =>
      renderError(pages, problem, request, proof?.verified, action),
  };

  return [open, submit, ...(options.photos ? createPhotoRoutes(pages, options.photos) : [])];
}
