// The parts that only some forms have. Their styles and scripts are not in other forms: each has at most 1,500 bytes.
import type { FormView } from '../core/widget.js';
import {
  CALL_STYLE,
  CARD_STYLE,
  CHOICE_STYLE,
  DEADLINE_SCRIPT,
  DEADLINE_STYLE,
  DECLINE_SCRIPT,
  DECLINE_STYLE,
  DEVICE_DRAFT_SCRIPT,
  EMERGENCY_STYLE,
  OPTIONS_STYLE,
  PHONE_STYLE,
  RENEWS_SCRIPT,
  SUGGESTION_SCRIPT,
} from '../generated/page-assets.js';
import { hasEmergencyAfter } from './emergency.js';
import type { FormModel } from './form-model.js';
import type { Content } from './html.js';
import { inlineScript, inlineStyle } from './page.js';

export const DAY_MS = 86_400_000;

/** Returns the time in milliseconds until a link ends. */
export function timeLeft({ expiresAt }: FormView['link'], now: Date): number {
  return expiresAt.getTime() - now.getTime();
}

/** A part of the form, with its files in `browser/parts`. */
interface FormPart {
  isIn(view: FormView, model: FormModel): boolean;
  style?: string;
  script?: string;
}

/** Returns whether the form asks about an email address that looks like a typing error. */
export function suggestsEmail({ link }: FormView): boolean {
  return link.settings?.form?.emailSuggestion === true;
}

const FORM_PARTS: readonly FormPart[] = [
  { isIn: suggestsEmail, script: SUGGESTION_SCRIPT },
  { isIn: ({ link, now }) => timeLeft(link, now) <= DAY_MS, style: DEADLINE_STYLE, script: DEADLINE_SCRIPT },
  { isIn: (_view, { emergency }) => emergency !== undefined, style: CALL_STYLE },
  { isIn: ({ link }) => link.config.policy !== undefined, style: CARD_STYLE },
  { isIn: ({ qrCode }) => qrCode !== undefined, style: PHONE_STYLE },
  {
    isIn: ({ declineReasons }, { confirmation }) =>
      declineReasons !== undefined || confirmation !== undefined,
    style: CHOICE_STYLE,
  },
  {
    isIn: ({ declineReasons }) => declineReasons !== undefined,
    style: DECLINE_STYLE,
    script: DECLINE_SCRIPT,
  },
  { isIn: ({ deviceDraft }) => !!deviceDraft, script: DEVICE_DRAFT_SCRIPT },
  {
    isIn: (_view, { fields }) => fields.some(({ kind, isHidden }) => kind === 'radio' && !isHidden),
    style: OPTIONS_STYLE,
  },
  { isIn: (_view, model) => hasEmergencyAfter(model), style: EMERGENCY_STYLE },
  { isIn: ({ deviceDraft, link }) => !!deviceDraft && !!link.config.renews, script: RENEWS_SCRIPT },
];

/** Returns the style element of the parts of a form, and their scripts, which come before the script of the form. */
export function formParts(view: FormView, model: FormModel): { style: Content; scripts: Content } {
  const parts: Pick<FormPart, 'style' | 'script'>[] = FORM_PARTS.filter(({ isIn }) => isIn(view, model));
  if (view.photosPart && model.photos) parts.unshift(view.photosPart);
  const css = parts.map(({ style = '' }) => style).join('');
  return {
    style: css !== '' && inlineStyle(view.nonce, css),
    scripts: parts.map(({ script }) => script !== undefined && inlineScript(view.nonce, script)),
  };
}
