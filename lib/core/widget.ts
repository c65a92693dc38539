// The StandaloneWidget port: who draws the pages behind a link, and from what.
import type { ErrorCode, ErrorDetail } from './errors.js';
import type { OpenLink, WidgetContact } from './types.js';

/** A page to send. */
export interface WidgetPage {
  /** A whole HTML document, every value escaped. */
  html: string;
  /**
   * Replaces the default Content-Security-Policy, which allows inline script and style with `nonce`, requests and
   * forms to the own origin, forms on to the callback, and nothing else.
   */
  contentSecurityPolicy?: string;
}

/** What every page gets. */
export interface PageView {
  /** For the `nonce` attribute of inline `<script>` and `<style>`; new for each answer. */
  nonce: string;
}

/** The claim form: fresh, or again with what was typed and what is wrong with it. */
export interface FormView extends PageView {
  link: OpenLink;
  /** What was posted; absent on the first show, when `link.config.policy` prefills. */
  fields?: URLSearchParams;
  /** What is wrong; each `pointer` points into the claim that `readForm` made. */
  problems?: readonly ErrorDetail[];
}

/** The claim is in. */
export interface SuccessView extends PageView {
  reference: string;
  contact: WidgetContact;
  clientName?: string;
  /** Where to go on to; absent when the client no longer allows that origin. */
  redirectUrl?: string;
}

/** There is no form to show. */
export interface UnavailableView extends PageView {
  /** Why: a `link_*` code, or the code of another error. */
  code: ErrorCode;
  status: number;
  /** Known only where the link is. */
  contact?: WidgetContact;
  clientName?: string;
}

/**
 * Draws the standalone pages. The form posts to its own URL, either as `application/x-www-form-urlencoded`, which
 * `readForm` turns into a claim, or as JSON, a `ClaimSubmission`. Posted with `Accept: application/json`, the answer
 * is `{ "data": { "reference", "redirectUrl" } }` or a problem; else a page or a redirect.
 */
export interface StandaloneWidget {
  /** Turns posted form fields into a claim, still unchecked: claimlink validates what it returns. Never throws. */
  readForm(fields: URLSearchParams): unknown;
  renderForm(view: FormView): WidgetPage;
  renderSuccess(view: SuccessView): WidgetPage;
  renderUnavailable(view: UnavailableView): WidgetPage;
}
