// Markup of the photos in the form: a button and a list with JavaScript, a plain field for files without it.
import { MAX_PROBLEMS, type Problem } from '../core/errors.js';
import type { FormView, PhotoProblem } from '../core/widget.js';
import { hintId, idOf, PHOTOS_POINTER, visibleText } from './fields.js';
import { describedBy, type FieldState, hiddenInput, messageMarkup, optional } from './form-fields.js';
import type { PhotosModel } from './form-model.js';
import { attributes, html, type Markup, UNTRANSLATED } from './html.js';
import { fillIn, type Texts } from './locales/texts.js';

/** Returns the texts that the scripts of photos write. */
export function photosTexts({ photos, form, unavailable }: Texts) {
  const { label: _label, missing: _missing, most: _most, add: _add, place: _place, ...written } = photos;
  return { ...written, remove: form.remove, retry: unavailable.retry };
}

/** Longest name of a photo that a message shows. */
const MAX_SHOWN_NAME = 60;

/** Returns the problems of a form in which those of its photos have a sentence for each photo, with its name. */
export function withPhotoMessages(
  problems: readonly Problem[],
  photoProblems: readonly PhotoProblem[] = [],
  { texts: { photos }, locale }: Pick<FieldState, 'texts' | 'locale'>,
): readonly Problem[] {
  if (photoProblems.length === 0) return problems;
  const sentences = photoProblems.slice(0, MAX_PROBLEMS).map(({ name, reason }) => {
    // Isolated: a name may turn the direction of the text.
    const shown = visibleText(Array.from(name).slice(0, MAX_SHOWN_NAME).join(''));
    return `\u2068${shown}\u2069: ${photos[reason]}`;
  });
  const messages = { [locale]: sentences.join(' ') };
  return problems.map((problem) => (problem.pointer === PHOTOS_POINTER ? { ...problem, messages } : problem));
}

/** Returns the photos of a form. With a QR code, a phone may add photos while the form is open. */
export function photosField(
  { isRequired, most, heic }: PhotosModel,
  { texts, messages }: FieldState,
  { photos, qrCode, fields }: Pick<FormView, 'photos' | 'qrCode' | 'fields'>,
): Markup {
  const id = idOf(PHOTOS_POINTER);
  const labelId = 'photos-label';
  const placeId = 'photos-place';
  const { label, missing, most: limit, add, place } = texts.photos;
  const message = messages.get(PHOTOS_POINTER);
  const hasLimit = Number.isFinite(most);
  const types = ['image/jpeg', 'image/png', 'image/webp', ...(heic ? ['image/heic'] : [])];
  const described = describedBy(id, hasLimit, message);
  const block = attributes({
    'data-most': hasLimit && most,
    'data-heic': heic,
    'data-poll': qrCode !== undefined,
  });
  const button = attributes({
    type: 'button',
    class: 'button js-only',
    name: PHOTOS_POINTER,
    'aria-labelledby': `${labelId} ${id}`,
    'aria-describedby': described,
    'data-missing': missing,
    'data-required': isRequired,
  });
  const file = attributes({
    type: 'file',
    // The script gives it to the button.
    id,
    name: 'photos',
    accept: types.join(),
    multiple: true,
    'aria-describedby': [described, placeId].filter(Boolean).join(' '),
  });
  return html`<div class="field photos"${block}><label for="${id}" id="${labelId}">${label}${!isRequired && optional(texts)}</label>${
    hasLimit && html`<p class="hint" id="${hintId(id)}">${fillIn(limit, { count: most })}</p>`
  }${messageMarkup(texts, id, message)}<button${button}>${add}</button><div><input${file}><p class="hint" id="${placeId}">${place}</p><input type="hidden" name="${PHOTOS_POINTER}">${hiddenInput('photoNames', fields?.get('photoNames') ?? '')}<ul role="list">${
    photos?.map(
      ({ name }, index) =>
        html`<li><bdi${name !== undefined && UNTRANSLATED}>${name ?? fillIn(texts.photos.photo, { number: index + 1 })}</bdi></li>`,
    ) ?? html`<li>${texts.photos.unshown}</li>`
  }</ul></div></div>
`;
}
