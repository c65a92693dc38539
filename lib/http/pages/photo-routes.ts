// The routes of the photos of a link: list, send, read and remove them. The bytes of a photo pass through as streams.
//
// For the security review. Who may send, list or remove photos may open the form: the link is usable, and a client with
// recipientCheck has its answer, by cookie or by the proof of a form without cookies, which is in a header and never in a URL.
// After the claim is stored, the receipt cookie shows the photos that the claim names. A photo is untrusted: it is served as a
// download with its type alone, for pages of this origin, and runs nothing.
import { ClaimlinkError, invalidParameter } from '../../core/errors.js';
import { photosOf } from '../../core/photo-settings.js';
import { PHOTO_TYPES, type PhotoEntry, type StoredPhoto } from '../../core/photo-store.js';
import { dropBody, type PhotoLimits } from '../../core/photo-upload.js';
import { photoOfClaim } from '../../core/photos.js';
import {
  COMMON_HEADERS,
  type CoreRequest,
  type CoreResponse,
  emptyResponse,
  headerOf,
  jsonResponse,
} from '../messages.js';
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
import {
  type Outcome,
  PAGE_PATH,
  queryValue,
  type Route,
  type RouteContext,
  type RouteHandler,
} from '../routes.js';
import { PROOF } from './claim-fields.js';
import { renderError } from './error-page.js';
import { LINK_PROBLEMS, type LinkProof, PARAMETERS, proveLink } from './link-proof.js';
import type { Pages } from './page-action.js';
import { assertSameSite, bodyOf } from './photo-body.js';
import type { BrowserProof } from './recipient-check.js';

/** Header with the proof of a form without cookies. */
const PROOF_HEADER = 'claimlink-proof';

/** Maximum time in seconds for which the body of a request without a valid token is read and dropped. */
const UNPROVED_SECONDS = 30;

/** A photo that is opened by itself runs nothing, and has no origin. */
const PHOTO_POLICY = "default-src 'none'; sandbox";

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

/** What a request to send or remove a photo asks for. */
interface PhotoAction {
  run(): Promise<Outcome>;
}

/** Creates the routes. */
export function createPhotoRoutes(pages: Pages, limits: PhotoLimits): RouteHandler[] {
  const { service, receipts, recipients } = pages;
  const authenticate = (context: RouteContext) => proveLink(service, context, 'open');
  const common: Pick<RouteHandler<LinkProof>, 'authenticate' | 'renderError'> = {
    authenticate,
    renderError: (problem, request, proof) => renderError(pages, problem, request, proof?.verified),
  };

  /** Returns what a request proves of its recipient: by its cookie, or by the header of a page without cookies. */
  function prove({ request }: RouteContext, { verified }: LinkProof): BrowserProof {
    const proof = headerOf(request, PROOF_HEADER);
    return recipients.prove(request, verified, new URLSearchParams(proof && { [PROOF]: proof }));
  }

  const list: RouteHandler<LinkProof> = {
    ...LIST_PHOTOS,
    ...common,
    async handle(context, link) {
      assertTakesPhotos(link);
      if (link.problem !== undefined) throw link.problem;
      const photos = await service.listPhotos(link.verified, prove(context, link));
      return { response: dataResponse(photos.map(toJson)) };
    },
  };

  const read: RouteHandler<LinkProof> = {
    ...READ_PHOTO,
    ...common,
    async handle(context, link) {
      const photo = await findPhoto(context, link);
      if (photo === undefined) throw new ClaimlinkError('photo_not_found');
      return { response: photoResponse(photo) };
    },
  };

  /** Returns a photo that the sender of a request may see. */
  async function findPhoto(context: RouteContext, link: LinkProof): Promise<StoredPhoto | undefined> {
    const { verified, problem } = link;
    const photoId = context.params['photoId'] ?? '';
    if (problem !== undefined) {
      const isSender =
        problem.code === 'link_submitted' && receipts.isPresent(context.request, verified.link);
      return isSender ? service.readClaimedPhoto(verified, photoId) : undefined;
    }
    const proof = prove(context, link);
    return proof.hasAnswered === false ? undefined : service.readPhoto(verified, photoId, proof);
  }

  const send: RouteHandler<LinkProof, PhotoAction> = {
    ...SEND_PHOTO,
    ...common,
    authenticate: (context) =>
      droppingBody(context, { ...limits, bodyTimeoutSeconds: UNPROVED_SECONDS }, () => authenticate(context)),
    read: (context, link) => droppingBody(context, limits, async () => readAction(context, link)),
    handle: (_context, _link, action) => action.run(),
  };

  /** Reads what a request asks for, but not its body. */
  function readAction(context: RouteContext, link: LinkProof): PhotoAction {
    const { request } = context;
    assertSameSite(request);
    assertTakesPhotos(link);
    const { verified, problem } = link;
    const photoId = context.params['photoId'] ?? '';
    const query = new URLSearchParams(context.query);
    const isRemoval = hasChoice(query, 'action', 'remove');
    const hasRandomId = hasChoice(query, 'id', 'random');
    const proof = prove(context, link);
    if (problem?.code === 'link_submitted' && !isRemoval && proof.hasAnswered !== false) {
      const { id, type, size } = photoOfClaim(verified, photoId);
      return {
        async run() {
          await dropBody(bodyOf(request), limits);
          return { response: dataResponse({ id, type, size }) };
        },
      };
    }
    if (problem !== undefined) throw problem;
    if (isRemoval)
      return {
        async run() {
          await service.removePhoto(verified, photoId, proof);
          return { response: emptyResponse() };
        },
      };
    const size = declaredLength(request);
    return {
      async run() {
        const sent = { photoId, hasRandomId, size, body: bodyOf(request) };
        return { response: dataResponse(toJson(await service.addPhoto(verified, sent, proof))) };
      },
    };
  }

  return [list, read, send];
}

/** @throws `route_not_found` for a client whose form takes no photos. */
function assertTakesPhotos({ verified }: LinkProof): void {
  if (photosOf(verified.client.settings).need === 'hidden') throw new ClaimlinkError('route_not_found');
}

/** Runs a step before the body of a photo is read. If it fails, reads and drops the body, so that a browser gets the response. */
async function droppingBody<R>(
  { request }: RouteContext,
  limits: Pick<PhotoLimits, 'maxPhotoBytes' | 'bodyTimeoutSeconds'>,
  step: () => Promise<R>,
): Promise<R> {
  try {
    return await step();
  } catch (error) {
    await dropBody(bodyOf(request), limits);
    throw error;
  }
}

/** Returns the length that a request declares. @throws `length_required` */
function declaredLength(request: CoreRequest): number {
  const length = headerOf(request, 'content-length') ?? '';
  if (/^\d+$/.test(length)) return Number(length);
  throw new ClaimlinkError('length_required', 'Send the photo with its Content-Length.');
}

/** Returns whether a parameter has its one value. @throws `request_invalid` for another one. */
function hasChoice(query: URLSearchParams, name: string, choice: string): boolean {
  const value = queryValue(query, name);
  if (value === undefined || value === choice) return value === choice;
  throw invalidParameter(name, 'choice', `must be ${choice}, or absent`);
}

function toJson({ photoId, type, size }: PhotoEntry) {
  return { id: photoId, type, size };
}

function dataResponse(data: unknown): CoreResponse {
  return jsonResponse(200, JSON.stringify({ data }), { 'referrer-policy': 'no-referrer' });
}

/** Returns a photo as a response. Its bytes are those of its sender, so no browser takes them for a page. */
function photoResponse({ type, size, body }: StoredPhoto): CoreResponse {
  const extension = type === 'image/jpeg' ? 'jpg' : type.slice('image/'.length);
  return {
    status: 200,
    headers: {
      'content-type': type,
      'content-length': String(size),
      ...COMMON_HEADERS,
      'content-disposition': `attachment; filename="photo.${extension}"`,
      'content-security-policy': PHOTO_POLICY,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    },
    body: '',
    stream: body,
  };
}
