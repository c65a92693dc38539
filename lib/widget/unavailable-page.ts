// The pages that replace the form: what happened, and what the user can do.
import type { ErrorCode } from '../core/errors.js';
import type { UnavailableView, WidgetPage } from '../core/widget.js';
import { enteredSection, enteredText } from './changed-page.js';
import { formatWait } from './dates.js';
import { keptText } from './device-notes.js';
import { hiddenInput } from './form-fields.js';
import { answerFields, formModel } from './form-model.js';
import { attributes, html, type Markup, UNTRANSLATED } from './html.js';
import type { Language } from './locales/languages.js';
import { fillIn, type Texts } from './locales/texts.js';
import { isNotStored } from './outcome.js';
import { ownText, page, pageTitle, phoneLink, SIGN } from './page.js';
import { receiptContent, TICK } from './success-page.js';
import { redirectHref } from './urls.js';

function explanation({ unavailable }: Texts, { code, declined, renewal }: UnavailableView) {
  if (declined !== undefined) return unavailable.declined;
  if (renewal === 'requested') return unavailable.renewal;
  switch (code) {
    case 'internal':
    case 'settings_unknown':
    case 'recipient_check_unavailable':
    case 'storage_unavailable':
    case 'validation_unavailable':
    case 'body_consumed':
      return unavailable.internal;
    case 'link_not_found':
    case 'link_expired':
    case 'link_revoked':
    case 'link_submitted':
    case 'link_locked':
    case 'body_too_large':
    case 'too_many_requests':
      return unavailable[code];
    default:
      return unavailable.other;
  }
}

/** Texts of errors that end a link. What was typed for it stays in the tab until the user deletes it. */
const ENDS: readonly ErrorCode[] = ['link_not_found', 'link_expired', 'link_revoked', 'link_submitted'];

/**
 * Returns whether the claim arrived that was sent to a link that takes none: not to a link that has ended. The link of a
 * stored claim may be deleted since.
 */
function arrivalAtEnd({ script }: Texts, code: ErrorCode): string | undefined {
  if (code === 'link_not_found') return script.unknown;
  const hasNoForm = code === 'link_expired' || code === 'link_revoked' || code === 'link_locked';
  return hasNoForm ? script.notSent : undefined;
}

export function renderUnavailable(view: UnavailableView, language: Language, theme?: Markup): WidgetPage {
  const { texts, locale } = language;
  const { code, deviceDraft, fields, receipt, contact, linkId, retryAfterSeconds, declined, renewal } = view;
  const explained = explanation(texts, view);
  // The user has asked for it.
  const isDone = declined !== undefined || renewal === 'requested';
  // The service failed after it had read a form.
  const hasFailed = fields !== undefined && explained === texts.unavailable.internal;
  const arrival = isNotStored(code) ? texts.script.notSent : texts.script.unknown;
  // A browser that has proved that it sent the claim gets the success page again.
  const title = receipt?.claim ? texts.success.title : explained.title;
  const isOnDevice = deviceDraft !== undefined;
  const isEnd = ENDS.includes(code);
  const model = formModel(view.form, language);
  const entered = fields && enteredText(fields, model, language);
  return page({
    view,
    language,
    theme,
    title: pageTitle(title, view),
    main: receipt
      ? receiptContent(language, model, {
          ...receipt,
          contact,
          href: redirectHref(receipt.redirectUrl),
          redirectAfterSeconds: 'never',
          ...(!receipt.claim && { heading: { title, text: explained.happened } }),
        })
      : html`<div class="card unavailable">
${isDone ? TICK : SIGN}
<h1>${title}</h1>
<p>${hasFailed ? arrival : [fields && arrivalAtEnd(texts, code), explained.happened].filter(Boolean).join(' ')}</p>
${renewal === 'requested' && ownText(model.clientTexts.renewal, model.clientLang)}${
  renewal === 'offered'
    ? renewalForm(texts)
    : hasFailed
      ? html`<p>${texts.script.nothingLost} ${!isNotStored(code) && texts.script.changedNow}</p>\n`
      : advice(fillIn(explained.advice, { time: formatWait(retryAfterSeconds ?? 60, locale) }), view)
}${retryButton(explained, texts)}${instanceLine(view, texts)}${entered && enteredSection(texts, entered, { isOnDevice: isOnDevice && isEnd, more: renewal === 'offered' && fields && renewalInputs(fields) })}</div>`,
    // What was typed in this tab is in its storage. The script shows it.
    end:
      isEnd &&
      linkId !== undefined &&
      keptText(view, linkId, {
        isDeclined: declined !== undefined,
        section:
          fields === undefined &&
          declined === undefined &&
          enteredSection(texts, '', {
            note: isOnDevice
              ? code !== 'link_submitted' && texts.script.notSent
              : texts.entered[code === 'link_submitted' ? 'note' : 'unsent'],
            isOnDevice,
          }),
      }),
    result: { hasScript: isEnd, asked: answerFields(model) },
    message: { type: 'claimlink:unavailable', code },
  });
}

/** Returns what the user can do. A sentence with the phone number of the contact needs a contact. */
function advice(text: string, { contact }: UnavailableView): Markup | undefined {
  const [before, ...after] = text.split('{phone}');
  if (after.length === 0) return html`<p>${text}</p>\n`;
  return contact && html`<p>${before}${phoneLink(contact)}${after.join('')}</p>\n`;
}

/** Returns the form that asks for another link. */
function renewalForm({ unavailable }: Texts): Markup {
  return html`<form method="post" id="renew">${hiddenInput('action', 'renew')}<button class="button primary">${unavailable.renew}</button></form>\n`;
}

/** Returns the inputs with which that form sends the claim that came too late: the next page shows it again. */
function renewalInputs(fields: URLSearchParams): Markup[] {
  return Array.from(
    fields,
    ([name, value]) => html`<input${attributes({ type: 'hidden', form: 'renew', name, value })}>\n`,
  );
}

/** A failure of the service may be over at the next try. */
function retryButton(explained: object, { unavailable }: Texts): Markup | false {
  const isTemporary = explained === unavailable.internal || explained === unavailable.too_many_requests;
  return isTemporary && html`<p><a class="button primary" href="">${unavailable.retry}</a></p>\n`;
}

/** Returns the number of a report to the support, without the prefix, which a user would have to read out. */
function instanceLine({ instance }: UnavailableView, { unavailable }: Texts): Markup | undefined {
  const id = instance?.replace(/^urn:uuid:/, '');
  return id === undefined
    ? undefined
    : html`<p class="muted">${unavailable.reference} <code dir="ltr"${UNTRANSLATED}>${id}</code></p>\n`;
}
