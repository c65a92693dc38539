// The built-in standalone widget: the pages behind a link, stepwise with JavaScript, one long form without.
import type { StandaloneWidget } from '../core/widget.js';
import { renderForm } from './form-page.js';
import { renderSuccess } from './success-page.js';
import { renderUnavailable } from './unavailable-page.js';
import { postedValues, toClaim } from './values.js';

export { STEP_KEYS, type StepKey } from './fields.js';

/** The built-in pages. Stateless: one widget may serve any number of services. */
export function createStandaloneWidget(): StandaloneWidget {
  return {
    readForm: (fields) => toClaim(postedValues(fields)),
    renderForm,
    renderSuccess,
    renderUnavailable,
  };
}
