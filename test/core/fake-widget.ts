// A widget for tests: remembers the views that it rendered, and reads a form whose one field holds the claim as JSON.
import type {
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
}

export function createFakeWidget(): FakeWidget {
  const forms: FormView[] = [];
  const successes: SuccessView[] = [];
  const unavailables: UnavailableView[] = [];
  const draw = <V>(views: V[], view: V, text: string): WidgetPage => {
    views.push(view);
    return { html: `<!doctype html><title>${text}</title>` };
  };
  return {
    forms,
    successes,
    unavailables,
    readForm: (fields) => JSON.parse(fields.get('claim') ?? '{}'),
    renderForm: (view) => draw(forms, view, 'form'),
    renderSuccess: (view) => draw(successes, view, 'success'),
    renderUnavailable: (view) => draw(unavailables, view, view.code),
  };
}
