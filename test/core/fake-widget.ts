// A widget for tests: remembers the views that it rendered, and reads a form whose one field holds the claim as JSON.
import type {
  CheckView,
  FormView,
  StandaloneWidget,
  SuccessView,
  UnavailableView,
  WidgetPage,
} from '../../lib/core/widget.js';

/** A widget with its memory. */
export interface FakeWidget extends StandaloneWidget {
  forms: FormView[];
  successes: SuccessView[];
  unavailables: UnavailableView[];
  checks: CheckView[];
}

export function createFakeWidget(): FakeWidget {
  const forms: FormView[] = [];
  const successes: SuccessView[] = [];
  const unavailables: UnavailableView[] = [];
  const checks: CheckView[] = [];
  const draw = <V>(views: V[], view: V, text: string, proof = ''): WidgetPage => {
    views.push(view);
    return { html: `<!doctype html><title>${text}</title>${proof}`, main: text };
  };
  return {
    forms,
    successes,
    unavailables,
    checks,
    readForm: (fields) => JSON.parse(fields.get('claim') ?? '{}'),
    renderForm: (view) => draw(forms, view, 'form', view.recipientProof),
    renderSuccess: (view) => draw(successes, view, 'success'),
    renderCheck: Object.assign((view: CheckView) => draw(checks, view, 'check'), { knowsQuestions: true }),
    renderUnavailable: (view) => draw(unavailables, view, view.code),
  };
}
