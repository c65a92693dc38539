// Takes the form of a browser without JavaScript, which sends its photos with the claim. It is loaded on use.
//
// For the security review. The form of another site is rejected before its body is read: it could add photos. The link is
// usable, and a client with recipientCheck has its answer before a photo is stored: by cookie, or by the proof, which is a field
// before the photos. What comes without it is read and dropped, and the question is asked as for a form without photos.
import {
  ClaimlinkError,
  type ErrorCode,
  invalidBody,
  isClaimlinkError,
  MAX_PROBLEMS,
} from '../../core/errors.js';
import type { ResolvedPhotos } from '../../core/photo-options.js';
import { MAX_PHOTO_NAME } from '../../core/schemas.js';
import type { LinkWithClient } from '../../core/storage.js';
import type { PhotoProblem } from '../../core/widget.js';
import type { CoreRequest } from '../messages.js';
import { type FilePart, type MultipartLimits, readMultipart } from '../multipart.js';
import { type SpooledPhoto, withSpooled } from '../photo-spool.js';
import type { RouteContext } from '../routes.js';
import { claimFieldsOf, PHOTO_NAMES } from './claim-fields.js';
import { actionOf, type Pages, type ReadAction } from './page-action.js';
import { assertSameSite, bodyOf } from './photo-body.js';
import { type NotTaken, submitForm } from './submit-claim.js';

/** Name of the field with the files. */
const FILES = 'photos';

/** Maximum size of the texts of a form, if the adapter names none: that of the adapters. */
const MAX_TEXT_BYTES = 65_536;

/** A photo that is too large is read and dropped, so that the form comes back with its text. A body has a limit. */
const MOST_LINKS = 2;

/** Files of a form that are looked at: more than a link has photos. Each of them is written to a temporary file. */
const MOST_FILES = 100;

/** Why a photo is not taken. Another error is that of the form. */
const PROBLEMS: Partial<Record<ErrorCode, PhotoProblem['reason']>> = {
  body_too_large: 'large',
  content_type_unsupported: 'unreadable',
  photo_limit_reached: 'full',
  too_many_requests: 'busy',
};

/** Why a photo is not taken, for programs. */
const DETAILS: Readonly<Record<PhotoProblem['reason'], string>> = {
  large: 'it is too large',
  unreadable: 'it has another type',
  full: 'the link has no place for it',
  busy: 'there are too many at the same time',
};

/** The forms that are being read, by their links. Each of them has one photo in a temporary file. */
const running = new WeakMap<ResolvedPhotos, Map<string, number>>();

/** Reads a claim with photos, and adds the photos to the link. If one is not taken, the form comes back. */
export async function submitPhotoForm(
  pages: Pages,
  context: RouteContext,
  verified: LinkWithClient,
  photos: ResolvedPhotos,
): Promise<ReadAction> {
  const { request } = context;
  assertSameSite(request);
  const place = createPlace(photos, verified);
  const taking = createTaking(pages, request, verified, photos, place.take);
  const fields = await readMultipart(
    request,
    bodyOf(request),
    limitsOf(request, photos),
    taking.take,
  ).finally(place.free);
  taking.addNames(fields);
  if (taking.failure !== undefined) {
    const { failure } = taking;
    return { fields: claimFieldsOf(fields), run: () => Promise.reject(failure) };
  }
  if (actionOf(fields) !== 'submit')
    throw invalidBody([{ pointer: '/action', rule: 'choice', detail: 'must be submit, beside photos' }]);
  return submitForm(pages, context, verified, fields, notTaken(taking.problems));
}

/** Reads the texts of a claim with photos that its link does not take, and drops the photos. */
export async function readPhotoFormTexts(
  request: CoreRequest,
  photos: ResolvedPhotos,
): Promise<URLSearchParams> {
  return readMultipart(request, bodyOf(request), limitsOf(request, photos), async () => {});
}

function limitsOf(
  { bodyLimitBytes = MAX_TEXT_BYTES }: CoreRequest,
  { maxPhotoBytes, maxLinkBytes, bodyTimeoutSeconds }: ResolvedPhotos,
): MultipartLimits {
  return {
    maxTextBytes: bodyLimitBytes,
    maxBytes: MOST_LINKS * Math.max(maxPhotoBytes, maxLinkBytes) + bodyLimitBytes,
    seconds: bodyTimeoutSeconds,
  };
}

/** The place of a form among those of its link. The form of a sender who has not answered takes none. */
function createPlace(photos: ResolvedPhotos, { link }: LinkWithClient) {
  const counts = running.get(photos) ?? new Map<string, number>();
  running.set(photos, counts);
  const key = JSON.stringify([link.clientId, link.accessCodeHash]);
  let isTaken: boolean | undefined;

  function reserve(): boolean {
    const count = counts.get(key) ?? 0;
    if (count >= photos.maxUploads) return false;
    counts.set(key, count + 1);
    return true;
  }

  return {
    /** Takes the place with the first call. Returns false if the link has as many forms as uploads. */
    take(): boolean {
      isTaken ??= reserve();
      return isTaken;
    },
    free(): void {
      if (!isTaken) return;
      const rest = (counts.get(key) ?? 1) - 1;
      if (rest > 0) counts.set(key, rest);
      else counts.delete(key);
    },
  };
}

/** Takes the photos of a form, and remembers what became of them. */
function createTaking(
  { service, recipients }: Pages,
  request: CoreRequest,
  verified: LinkWithClient,
  { maxPhotoBytes }: ResolvedPhotos,
  takePlace: () => boolean,
) {
  const names = new Map<string, string>();
  const problems: PhotoProblem[] = [];
  const state: { failure?: unknown } = {};
  let files = 0;

  async function add({ photoId, size, isWhole, read }: SpooledPhoto, name: string, texts: URLSearchParams) {
    // The form has an empty file if the person chose none.
    if (name === '' && size === 0) return;
    try {
      if (!isWhole) throw new ClaimlinkError('body_too_large');
      const proof = recipients.prove(request, verified, texts);
      await service.photos.addPhoto(verified, { photoId, size, body: read() }, proof);
      if (name !== '' && name.length <= MAX_PHOTO_NAME) names.set(photoId, name);
    } catch (error) {
      const reason = isClaimlinkError(error) ? PROBLEMS[error.code] : undefined;
      if (reason === undefined) state.failure = error;
      else problems.push({ name, reason });
    }
  }

  return {
    problems,
    get failure() {
      return state.failure;
    },
    async take({ field, name, body }: FilePart, texts: URLSearchParams): Promise<void> {
      const isProved = recipients.prove(request, verified, texts).hasAnswered !== false;
      if (field !== FILES || !isProved || state.failure !== undefined) return;
      files += 1;
      if (files > MOST_FILES) problems.push({ name, reason: 'full' });
      else if (!takePlace()) problems.push({ name, reason: 'busy' });
      else {
        // An error of the body is that of the form as well.
        await withSpooled(body, maxPhotoBytes, (photo) => add(photo, name, texts)).catch((error: unknown) => {
          state.failure = error;
        });
      }
    },
    /** Adds the names of the photos to those that the form says. */
    addNames(fields: URLSearchParams): void {
      if (names.size === 0) return;
      const all = new URLSearchParams(fields.get(PHOTO_NAMES) ?? '');
      for (const [photoId, name] of names) all.set(photoId, name);
      fields.set(PHOTO_NAMES, all.toString());
    },
  };
}

/** Returns what becomes of a form whose photos were not taken, if there are some. */
function notTaken(photoProblems: readonly PhotoProblem[]): NotTaken | undefined {
  if (photoProblems.length === 0) return undefined;
  const problems = photoProblems.map(({ reason }) => ({
    pointer: '/incident/photos',
    rule: 'value' as const,
    detail: `has a photo that is not taken: ${DETAILS[reason]}`,
  }));
  return { photoProblems, error: invalidBody(problems.slice(0, MAX_PROBLEMS)) };
}
