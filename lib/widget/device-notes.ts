// What the form says of the text that it keeps on the device, and where the other pages have it.
import type { FormView, PageView } from '../core/widget.js';
import { DEVICE_TEXT_SCRIPT } from '../generated/page-assets.js';
import { deviceKey } from './device-key.js';
import { CONTACT_MEMBERS, contactPointer } from './fields.js';
import { attributes, type Content, html, type Markup } from './html.js';
import type { Texts } from './locales/texts.js';
import { inlineScript } from './page.js';
import type { FormValues } from './values.js';

/** Time in ms for which the text stays after the end of its link. */
const AFTER_END_MS = 7 * 86_400_000;

/**
 * Returns the notes of a form that keeps its text on the device. The script shows them.
 * @param prefill the fields of the link, if the form has other ones
 */
export function deviceNotes(
  { deviceDraft, link, now, fields }: FormView,
  { device }: Texts,
  prefill: () => FormValues,
): Markup | undefined {
  if (!deviceDraft) return undefined;
  const data = attributes({
    'data-key': deviceKey(deviceDraft.clientId, link.linkId),
    'data-life': link.expiresAt.getTime() + AFTER_END_MS - now.getTime(),
    'data-prefill': fields && queryOf(prefill()),
  });
  return html`<div class="failure" id="newer" hidden><p>${device.newer}</p>
<button type="button" class="button">${device.showNewer}</button>
<button type="button" class="button quiet">${device.keepThis}</button>
</div>
<details id="device"${data} hidden><summary class="button quiet">${device.note}</summary>
<button type="button" class="button">${device.remove}</button>
</details>
${
  link.config.renews &&
  html`<button type="button" class="button" id="earlier"${attributes({ 'data-key': deviceKey(deviceDraft.clientId, link.config.renews) })} hidden>${device.showEarlier}</button>
`
}`;
}

/**
 * Returns what the script of a page without a form needs to show and remove the text of a link in this browser.
 * @param section what it shows with the text, if the page has no text of its own
 */
export function keptText(
  { deviceDraft, nonce }: PageView,
  linkId: string,
  { section, isDeclined = false }: { section?: Content; isDeclined?: boolean } = {},
): Markup {
  const data = attributes({
    'data-link': linkId,
    'data-clear': isDeclined,
    'data-key': deviceDraft && deviceKey(deviceDraft.clientId, linkId),
    'data-hides': deviceDraft?.isShown === false,
  });
  return html`<template id="entered-template"${data}>${section}</template>\n${deviceDraft && inlineScript(nonce, DEVICE_TEXT_SCRIPT)}`;
}

function queryOf({ fields, contacts }: FormValues): string {
  const people = contacts.flatMap((person, index) =>
    CONTACT_MEMBERS.map((member) => [contactPointer(index, member), person[member]]),
  );
  return new URLSearchParams([...Object.entries(fields), ...people] as [string, string][]).toString();
}
