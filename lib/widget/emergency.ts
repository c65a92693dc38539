// What the form says about emergencies: a sentence, and a button that calls for help.
import { type FormField, type FormModel, INJURED } from './form-model.js';
import { type Content, html, inLanguage, type Markup, UNTRANSLATED } from './html.js';
import { phoneHref } from './links.js';
import type { Texts } from './locales/texts.js';

/** Returns the sentence, and the button of a client with a number for it. */
function callForHelp({ emergency, clientTexts, clientLang }: FormModel, { form }: Texts): Markup {
  const text = clientTexts.emergency;
  const [before, after] = form.call.split('{phone}');
  return html`<div class="failure" id="emergency"><p class="own"${inLanguage(text === undefined ? undefined : clientLang)}>${text ?? form.emergency}</p>
${
  emergency &&
  html`<p><a class="button primary" href="${phoneHref(emergency.phone)}"><span>${before}<bdi dir="ltr"${UNTRANSLATED}>${emergency.phone}</bdi>${after}</span></a></p>
`
}</div>
`;
}

/** Returns what the first step begins with. */
export function emergencyFirst(model: FormModel, texts: Texts): Content {
  return model.emergency?.first && callForHelp(model, texts);
}

/** Returns what follows a field: help follows the question whether a person was injured. Without JavaScript, it is always shown. */
export function emergencyAfter({ pointer }: FormField, model: FormModel, texts: Texts): Content {
  if (pointer !== INJURED || model.emergency?.first) return undefined;
  return html`<div role="status">${callForHelp(model, texts)}</div>
`;
}

/** Returns whether the form shows help after an answer. */
export function hasEmergencyAfter({ fields, emergency }: FormModel): boolean {
  return !emergency?.first && fields.some(({ pointer, isHidden }) => pointer === INJURED && !isHidden);
}
