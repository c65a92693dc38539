// The built-in standalone widget: the pages behind a link. Without JavaScript, the form is one long page.
import type { StandaloneWidget } from '../core/widget.js';
import { renderForm } from './form-page.js';
import { renderSuccess } from './success-page.js';
import { renderUnavailable } from './unavailable-page.js';
import { postedValues, toClaim } from './values.js';

export { STEP_KEYS, type StepKey } from './fields.js';

/** Creates the built-in pages. They hold no state, so that several services may share one widget. */
export function createStandaloneWidget(): StandaloneWidget {
  return {
    readForm: (fields) => toClaim(postedValues(fields)),
    renderForm,
    renderSuccess,
    renderUnavailable,
  };
}
