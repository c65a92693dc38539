// Handles the requests of the routes of photos. Loaded with the first of them.
//
// For the security review. Who may send, list or remove photos may open the form: the link is usable, and a client with
// recipientCheck has its answer, by cookie or by the proof of a form without cookies, which is in a header and never in a URL.
// After the claim is stored, the receipt cookie shows the photos that the claim names. A photo is untrusted: it is served as a
// download with its type alone, for pages of this origin, and runs nothing.
import { ClaimlinkError, invalidParameter } from '../../core/errors.js';
import type { PhotoLimits } from '../../core/photo-options.js';
import { photosOf } from '../../core/photo-settings.js';
import type { PhotoEntry, StoredPhoto } from '../../core/photo-store.js';
import { dropBody } from '../../core/photo-upload.js';
import { photoOfClaim } from '../../core/photos.js';
import {
  COMMON_HEADERS,
  type CoreRequest,
  type CoreResponse,
  emptyResponse,
  headerOf,
  jsonResponse,
} from '../messages.js';
import { type Outcome, queryValue, type RouteContext, type RouteHandler } from '../routes.js';
import { PROOF, PROOF_HEADER } from './claim-fields.js';
import { type LinkProof, proveLink } from './link-proof.js';
import type { Pages } from './page-action.js';
import { assertSameSite, bodyOf } from './photo-body.js';
import type { BrowserProof } from './recipient-check.js';

/** Maximum time in seconds for which the body of a request without a valid token is read and dropped. */
const UNPROVED_SECONDS = 30;

/** A photo that is opened by itself runs nothing, and has no origin. */
const PHOTO_POLICY = "default-src 'none'; sandbox";

/** What a request to send or remove a photo asks for. */
interface PhotoAction {
  run(): Promise<Outcome>;
}

/** Handles the requests of a route. */
export type PhotoHandler<R = unknown> = Pick<RouteHandler<LinkProof, R>, 'authenticate' | 'read' | 'handle'>;

/** The handlers of the routes. */
export interface PhotoHandlers {
  list: PhotoHandler;
  read: PhotoHandler;
  send: PhotoHandler<PhotoAction>;
}

/** Creates the handlers of the routes. */
export function createPhotoHandlers(
  { service, receipts, recipients }: Pages,
  limits: PhotoLimits,
): PhotoHandlers {
  const { photos } = service;
  const authenticate = (context: RouteContext) => proveLink(service, context, 'open');

  /** Returns what a request proves of its recipient: by its cookie, or by the header of a page without cookies. */
  function prove({ request }: RouteContext, { verified }: LinkProof): BrowserProof {
    const proof = headerOf(request, PROOF_HEADER);
    return recipients.prove(request, verified, new URLSearchParams(proof && { [PROOF]: proof }));
  }

  const list: PhotoHandlers['list'] = {
    authenticate,
    async handle(context, link) {
      assertTakesPhotos(link);
      if (link.problem !== undefined) throw link.problem;
      const taken = await photos.listPhotos(link.verified, prove(context, link));
      return { response: dataResponse(taken.map(toJson)) };
    },
  };

  const read: PhotoHandlers['read'] = {
    authenticate,
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
      return isSender ? photos.readClaimedPhoto(verified, photoId) : undefined;
    }
    const proof = prove(context, link);
    return proof.hasAnswered === false ? undefined : photos.readPhoto(verified, photoId, proof);
  }

  const send: PhotoHandlers['send'] = {
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
          await photos.removePhoto(verified, photoId, proof);
          return { response: emptyResponse() };
        },
      };
    const size = declaredLength(request);
    return {
      async run() {
        const sent = { photoId, hasRandomId, size, body: bodyOf(request) };
        return { response: dataResponse(toJson(await photos.addPhoto(verified, sent, proof))) };
      },
    };
  }

  return { list, read, send };
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
