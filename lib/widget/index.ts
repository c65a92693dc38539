/**
 * The built-in standalone widget: the pages behind a link. Without JavaScript, the form is one long page.
 *
 * @module claimlink/widget
 */

import { assertOptions } from '../core/assert-options.js';
import type {
  ChangedView,
  CheckView,
  FormView,
  RenderCheck,
  StandaloneWidget,
  SuccessView,
  UnavailableView,
  WidgetPage,
} from '../core/widget.js';
import { renderChanged } from './changed-page.js';
import { renderCheck } from './check-page.js';
import { toClaim } from './claim-values.js';
import { formModel } from './form-model.js';
import { renderForm } from './form-page.js';
import { createLanguages, type TextChanges } from './locales/languages.js';
import { renderSuccess } from './success-page.js';
import { type Theme, themeStyle } from './theme.js';
import { renderUnavailable } from './unavailable-page.js';
import { postedValues } from './values.js';

export type * from '../core/widget.js';
export { extendPolicy, type PolicySources } from '../http/policy.js';
export { STEP_KEYS, type StepKey } from './fields.js';
export { escapeHtml, jsonForScript } from './html.js';
export type { TextChanges } from './locales/languages.js';
export type { Texts } from './locales/texts.js';
export type { Theme, ThemeProperty, ThemeValues } from './theme.js';

/** Options of the built-in pages. */
export interface StandaloneWidgetOptions {
  /**
   * Texts by BCP 47 tag: changes of a shipped language (ar, cs, da, de, en, es, fi, fr, it, nl, pl, pt, sv), or a further
   * language. A tag with a region, such as `de-AT`, begins with the texts of its language.
   */
  locales?: Readonly<Record<string, TextChanges>>;
  /** Colours and font of the pages of all clients. `branding` of a client comes after it. */
  theme?: Theme;
}

/** The built-in pages. Their methods return the pages at once, so that an own widget can change them. */
export interface BuiltInWidget extends StandaloneWidget {
  readonly locales: readonly string[];
  renderForm(view: FormView): WidgetPage;
  renderSuccess(view: SuccessView): WidgetPage;
  renderChanged(view: ChangedView): WidgetPage;
  renderCheck: ((view: CheckView) => WidgetPage) & Pick<RenderCheck, 'knowsQuestions'>;
  renderUnavailable(view: UnavailableView): WidgetPage;
}

/**
 * Creates the built-in pages. They hold no state, so that several services may share one widget.
 * @throws `options_invalid` for an unknown option, a language tag that is not valid, an unknown text, and an unknown or bad theme value.
 */
export function createStandaloneWidget(options: StandaloneWidgetOptions = {}): BuiltInWidget {
  assertOptions(options, ['locales', 'theme']);
  const { locales, theme } = options;
  const languages = createLanguages(locales);
  const style = themeStyle(theme);
  return {
    locales: languages.locales,
    readForm(posted, form) {
      const { fields } = formModel(form, languages.find(undefined));
      const pointers = fields.map(({ pointer }) => pointer);
      const names = posted.get('photoNames');
      return {
        ...toClaim(postedValues(posted, pointers), fields),
        // The script posts them as ids with names.
        ...(names && { photoNames: Object.fromEntries(new URLSearchParams(names)) }),
      };
    },
    renderForm: (view) => renderForm(view, languages.find(view.locale), style),
    renderSuccess: (view) => renderSuccess(view, languages.find(view.locale), style),
    renderChanged: (view) => renderChanged(view, languages.find(view.locale), style),
    renderCheck: Object.assign((view: CheckView) => renderCheck(view, languages.find(view.locale), style), {
      knowsQuestions: true,
    }),
    renderUnavailable: (view) => renderUnavailable(view, languages.find(view.locale), style),
  };
}
