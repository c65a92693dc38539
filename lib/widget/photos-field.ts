// Markup of the photos in the form: a button and a list with JavaScript, a plain field for files without it.
import type { FormView } from '../core/widget.js';
import { hintId, idOf, PHOTOS_POINTER } from './fields.js';
import { describedBy, type FieldState, hiddenInput, messageMarkup, optional } from './form-fields.js';
import type { PhotosModel } from './form-model.js';
import { attributes, html, jsonForScript, type Markup, raw } from './html.js';
import { fillIn, type Texts } from './locales/texts.js';

/** Returns the texts that the scripts of photos write. */
function scriptTexts({ photos, form, unavailable }: Texts): Markup {
  const { label: _label, missing: _missing, most: _most, add: _add, place: _place, ...written } = photos;
  const json = jsonForScript({ ...written, remove: form.remove, retry: unavailable.retry });
  return html`<script type="application/json">${raw(json)}</script>`;
}

/** Returns the photos of a form. With a QR code, a phone may add photos while the form is open. */
export function photosField(
  { isRequired, most, heic }: PhotosModel,
  { texts, messages }: FieldState,
  { photos = [], qrCode }: Pick<FormView, 'photos' | 'qrCode'>,
): Markup {
  const id = idOf(PHOTOS_POINTER);
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
    id,
    name: PHOTOS_POINTER,
    'aria-labelledby': `${id}-label ${id}`,
    'aria-describedby': described,
    'data-missing': missing,
    'data-required': isRequired,
  });
  const file = attributes({
    type: 'file',
    name: 'photos',
    accept: types.join(),
    multiple: true,
    'aria-labelledby': `${id}-label`,
    'aria-describedby': [described, `${id}-place`].filter(Boolean).join(' '),
  });
  return html`<div class="field photos"${block}><label for="${id}" id="${id}-label">${label}${!isRequired && optional(texts)}</label>${
    hasLimit && html`<p class="hint" id="${hintId(id)}">${fillIn(limit, { count: most })}</p>`
  }${messageMarkup(texts, id, message)}<button${button}>${add}</button><div><input${file}><p class="hint" id="${id}-place">${place}</p>${hiddenInput(PHOTOS_POINTER, '')}${hiddenInput('photoNames', '')}<ul role="list">${photos.map(
    ({ name }, index) => html`<li>${name ?? fillIn(texts.photos.photo, { number: index + 1 })}</li>`,
  )}</ul>${scriptTexts(texts)}</div></div>
`;
}
