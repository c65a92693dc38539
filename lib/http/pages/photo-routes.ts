// The routes of the photos of a link: list, send, read and remove them. The bytes of a photo pass through as streams.
import { once } from '../../core/once.js';
import type { PhotoLimits } from '../../core/photo-options.js';
import { PHOTO_TYPES } from '../../core/photo-types.js';
import {
  BODY_PROBLEMS,
  type Content,
  header,
  json,
  type Operation,
  parameter,
  problems,
} from '../operation.js';
import { photoListSchema, photoResponseSchema } from '../response-schemas.js';
import { PAGE_PATH, type Route, type RouteHandler } from '../routes.js';
import { PROOF_HEADER } from './claim-fields.js';
import { renderError } from './error-page.js';
import { LINK_PROBLEMS, type LinkProof, PARAMETERS } from './link-proof.js';
import type { Pages } from './page-action.js';
import type { PhotoHandler, PhotoHandlers } from './photo-handlers.js';

const PHOTO_PARAMETERS = [
  ...PARAMETERS,
  parameter('path', 'photoId', 'The id of the photo.', { type: 'string', pattern: '^[0-9a-f]{64}$' }),
];

const PROOF_PARAMETER = parameter(
  'header',
  PROOF_HEADER,
  'The proof of a form without cookies, for a client with recipientCheck.',
  { type: 'string' },
  false,
);

const choice = (value: string) => ({ type: 'string', enum: [value] });

const PHOTO_CONTENT: Content = Object.fromEntries(PHOTO_TYPES.map((type) => [type, { schema: {} }]));

const NOT_FOUND = ['route-not-found', ...LINK_PROBLEMS[404]];

const LIST_PHOTOS: Route & Operation = {
  method: 'GET',
  path: `${PAGE_PATH}/photos`,
  operationId: 'listPhotos',
  tag: 'pages',
  summary: 'Lists the photos of a link that can be used.',
  description:
    'In any order. A link that takes no more claim shows its photos one by one, to the browser that sent it.',
  parameters: [...PARAMETERS, PROOF_PARAMETER],
  responses: {
    200: { content: json(photoListSchema, 'responses', 'photos') },
    ...problems({ ...LINK_PROBLEMS, 400: ['request-invalid-token'], 404: NOT_FOUND }),
  },
};

const SEND_PHOTO: Route & Operation = {
  method: 'POST',
  path: `${PAGE_PATH}/photos/:photoId`,
  operationId: 'sendPhoto',
  tag: 'pages',
  summary: 'Adds a photo to a link, or removes it.',
  description:
    'The body is the image. Its type is read from its first bytes, and no header counts. The id is the SHA-256 of the bytes in lower-case hex, so a repetition after a lost response is the same photo; a sender that cannot make it sends a random id, and id=random. With action=remove it reads no body, and removes the photo from the claim.',
  parameters: [
    ...PHOTO_PARAMETERS,
    parameter('query', 'id', 'random: the id is not the SHA-256 of the bytes.', choice('random')),
    parameter('query', 'action', 'remove: removes the photo.', choice('remove')),
    PROOF_PARAMETER,
  ],
  body: { 'image/*': { schema: {} } },
  isBodyRequired: false,
  responses: {
    200: { content: json(photoResponseSchema, 'responses', 'photo') },
    204: { description: 'The photo is removed, or was not there.' },
    ...problems({
      ...LINK_PROBLEMS,
      ...BODY_PROBLEMS,
      400: ['request-invalid-photo', 'request-aborted'],
      404: NOT_FOUND,
      409: ['photo-limit-reached'],
      411: ['length-required'],
    }),
  },
};

const READ_PHOTO: Route & Operation = {
  method: 'GET',
  path: SEND_PHOTO.path,
  operationId: 'readPhoto',
  tag: 'pages',
  summary: 'Returns a photo of a link.',
  description:
    'While the link can be used, to who may see its form. After the claim is stored, to the browser that sent it, for a while. To others the photo is not there.',
  parameters: [...PHOTO_PARAMETERS, PROOF_PARAMETER],
  responses: {
    200: {
      headers: {
        'Content-Disposition': header('attachment, with a file name.'),
        'Cross-Origin-Resource-Policy': header('Only pages of the service show it.', 'same-origin'),
      },
      content: PHOTO_CONTENT,
    },
    ...problems({
      405: LINK_PROBLEMS[405],
      429: LINK_PROBLEMS[429],
      500: LINK_PROBLEMS[500],
      503: LINK_PROBLEMS[503],
      400: ['request-invalid-token'],
      404: [...NOT_FOUND, 'photo-not-found'],
    }),
  },
};

/** Creates the routes. Their handlers are loaded with the first request. */
export function createPhotoRoutes(pages: Pages, limits: PhotoLimits): RouteHandler[] {
  const load = once(async () => {
    const { createPhotoHandlers } = await import('./photo-handlers.js');
    return createPhotoHandlers(pages, limits);
  });

  const route = <R>(
    operation: Route & Operation,
    handlerOf: (handlers: PhotoHandlers) => PhotoHandler<R>,
  ): RouteHandler<LinkProof, R | undefined> => ({
    ...operation,
    authenticate: async (context) => handlerOf(await load()).authenticate(context),
    read: async (context, link) => handlerOf(await load()).read?.(context, link),
    handle: async (context, link, read) => handlerOf(await load()).handle(context, link, read as R),
    renderError: (problem, request, proof) => renderError(pages, problem, request, proof?.verified),
  });

  return [
    route(LIST_PHOTOS, ({ list }) => list),
    route(READ_PHOTO, ({ read }) => read),
    route(SEND_PHOTO, ({ send }) => send),
  ];
}
