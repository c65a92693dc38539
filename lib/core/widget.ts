// The StandaloneWidget port: renders the pages of a link.
import type { ErrorCode, Problem } from './errors.js';
import type {
  Awaitable,
  Branding,
  ClaimPhoto,
  ClientForm,
  DeclineReason,
  Incident,
  OpenLink,
  RecipientMember,
  RecipientQuestion,
  SelectedPolicy,
  WidgetContact,
} from './types.js';

/** A rendered page. */
export interface WidgetPage {
  /** A complete HTML document. The widget escapes all values. */
  html: string;
  /**
   * Replaces the default Content-Security-Policy. The default allows inline script and style with `nonce`, requests
   * and forms to the page's origin, and redirects of forms to the callback URL.
   */
  contentSecurityPolicy?: string;
  /**
   * What `html` has in its `<main>`, of a page after a submission: the script of the built-in form shows it in place of the form.
   * Absent: the script loads the page.
   */
  main?: string;
  /** Stylesheet that `main` needs in the form: the form is without it, and adds it with the response. Default: none. */
  style?: string;
  /** Script that `main` needs in the form, added after it. A constant of the widget, never made of a value. Default: none. */
  script?: string;
}

/** Input of every page. */
export interface PageView {
  /** Value of the `nonce` attribute of inline `<script>` and `<style>`. New for each response. */
  nonce: string;
  /** BCP 47 tag of the language, one of the widget's `locales`; `en` for a widget without them. */
  locale: string;
  /** The Content-Security-Policy of the page, unless the widget returns another one: see `extendPolicy`. */
  policy: string;
  /** Brand of the client. Absent if the client has none, or if there is no link. */
  branding?: Branding;
  /** Origins that may show the page in a frame. Absent if the client has none, or if there is no link. */
  frameAncestors?: readonly string[];
  /**
   * true: the page around the frame has the brand and the contact for help, so that this one leaves them out. Only with
   * `view=compact` in the URL, and for a client with `frameAncestors`.
   */
  compact?: true;
  /** The form of the client at the time of the response. Absent if the client has none, or if there is no link. */
  form?: ClientForm;
  /** Where the page keeps what is typed. Present if `settings` of the client have `keepDraft: 'device'`. */
  deviceDraft?: DeviceDraft;
}

/** The text of a link in the `localStorage` of a browser. */
export interface DeviceDraft {
  clientId: string;
  /** false: the client asks its recipients, so that no page but the form shows the text. */
  isShown: boolean;
}

/** Input of a page that the user may open in another language. */
export interface LanguageView {
  /**
   * Token in the URL of the page, for a form with `method="get"` and a field `lang`. Absent if the page would not show the same
   * again.
   */
  token?: string;
}

/** Input of a page whose recipient may decline the link. */
export interface DeclineView {
  /**
   * What the recipient may answer. Present if `settings` of the client have `allowDecline`: a form that posts `action` =
   * `decline` and one of them as `why` revokes the link.
   */
  declineReasons?: readonly DeclineReason[];
  /** The form was sent without a reason. The link is as it was. */
  declineProblem?: 'missing';
}

/** The style and the script of photos in the built-in form. */
export interface PhotosPart {
  style: string;
  script: string;
}

/** Input of the claim form. After an invalid submission it has the entered values and the problems. */
export interface FormView extends PageView, LanguageView, DeclineView {
  /** Its `linkId` is not secret: a page may use it as the key of data that it stores in the browser. */
  link: OpenLink;
  /** Time of the response. */
  now: Date;
  /** Latest `incident.date` that the service accepts now, `YYYY-MM-DD`. */
  latestIncidentDate: string;
  /**
   * true: the host wants to know that a person fills in the form. With the first answer that the person enters, and never
   * before, the page posts `action` = `start` to its URL. The response is a 204.
   */
  reportsStart?: true;
  /** QR code of the link as SVG markup. Present if `settings` of the client have `continueOnPhone`. */
  qrCode?: string;
  /**
   * Proof of the recipient of a link with `recipientCheck`, for a browser that keeps no cookies. Present after the right answer of
   * such a browser. The form sends it as `proof`, with the claim and with `action` = `start`, and keeps it nowhere else. A
   * page without this text is not shown: the built-in page then asks for cookies.
   */
  recipientProof?: string;
  /**
   * The submitted fields. Absent when the form is opened, and for a form that another site sent: then `link.config.policy`
   * prefills it.
   */
  fields?: URLSearchParams;
  /** The photos of the link. Absent if the form of the client takes none, or if the store of photos does not answer. */
  photos?: readonly ClaimPhoto[];
  /**
   * The photos of a form without JavaScript that were not taken. `problems` have them as well, without their names. Present if the
   * form comes back for them.
   */
  photoProblems?: readonly PhotoProblem[];
  /**
   * What the built-in form loads for photos. Present with `photos`. A widget that makes a view of its own for the built-in form
   * passes it on: without it, the form takes photos as it does without JavaScript.
   */
  photosPart?: PhotosPart;
  /**
   * The problems. Each `pointer` points into the claim that `readForm` returned. A problem with `messages` comes from
   * `validateClaim`: show the one of the page's language, or else its `detail`.
   */
  problems?: readonly Problem[];
}

/** A photo that was sent with a form and not taken. */
export interface PhotoProblem {
  /** Name of the file, as the browser says it. It may be long, or have any characters. */
  name: string;
  /** `large`: over `maxPhotoBytes`. `full`: no place beside the other photos. `busy`: send it again. */
  reason: 'large' | 'unreadable' | 'full' | 'busy';
}

/** The claim that a session holds. */
export interface SentClaim {
  policy: SelectedPolicy;
  incident?: Incident;
}

/** What the pages tell of a stored submission. */
export interface Receipt {
  reference: string;
  /** Time of the submission; of the first one, if it was repeated. */
  submittedAt: Date;
  /** The answers that are stored. Absent if the browser has not proved that it sent them. */
  claim?: SentClaim;
  /** Redirect target. Absent without `claim`, and if the client no longer allows its origin. */
  redirectUrl?: string;
}

/** Input of the success page. */
export interface SuccessView extends PageView, Receipt {
  contact: WidgetContact;
  clientName?: string;
  /** Seconds after which the page goes on by itself, unless the user is active. Default: 60. */
  redirectAfterSeconds?: number | 'never';
}

/** Input of the page after a submission whose claim differs from the one that the link has stored. */
export interface ChangedView extends PageView {
  /** Reference of the submission that is stored. */
  reference: string;
  /**
   * The answers that are stored. Absent if the browser has not proved that it sent them: what differs would tell a stranger what
   * they are.
   */
  claim?: SentClaim;
  /** Time of the submission that is stored. */
  submittedAt: Date;
  /** The fields that were sent now. They are not stored. */
  fields: URLSearchParams;
  /** It is not secret: a page may use it as the key of data that it stores in the browser. */
  linkId?: string;
  contact: WidgetContact;
  clientName?: string;
  /** Redirect target. Absent if the client no longer allows its origin. */
  redirectUrl?: string;
}

/** Input of the page that asks the recipient of a link, before it shows anything personal. It gets no value of the prefill. */
export interface CheckView extends PageView, LanguageView, DeclineView {
  /**
   * The member of the prefill that the answer must match, as a JSON Pointer into `config` of the link request. Absent with
   * `question`.
   */
  member?: RecipientMember;
  /** The question of the client, in each of its languages. Only a `renderCheck` with `knowsQuestions` gets it. */
  question?: RecipientQuestion;
  /**
   * `missing`: the form was sent without an answer, or with a date that does not exist. `wrong`: the answer does not match. `cookies`: the browser keeps no cookies,
   * and the form of the widget has no proof; only the built-in page gets it. Absent when the link is opened.
   */
  problem?: 'missing' | 'wrong' | 'cookies';
  /** Number of attempts that are left after a wrong answer: with 0, the link is locked. */
  attemptsLeft?: number;
  /** The answer that was sent, to be corrected. Absent without a problem, and if a form of another site sent it. */
  answer?: string;
  /**
   * The fields of a claim that was sent without an answer: show them to the user. They are not stored. Let the form post them as
   * well: a browser without cookies then gets the form with them.
   */
  fields?: URLSearchParams;
  contact: WidgetContact;
  clientName?: string;
}

/** Input of the page that explains why there is no form. */
export interface UnavailableView extends PageView {
  /** Code of the error, such as `link_expired`. */
  code: ErrorCode;
  status: number;
  /** `urn:uuid:...` of a 5xx, for a report to the support. `onError` gets the same one. */
  instance?: string;
  /** Seconds after which a new attempt may work: Retry-After of the response. */
  retryAfterSeconds?: number;
  /** The fields that were sent: show them to the user. They are not stored, except perhaps after a 5xx. */
  fields?: URLSearchParams;
  /** Present for `link_revoked` if the recipient has declined the link with this request. `status` is then 200. */
  declined?: DeclineReason;
  /**
   * Present for `link_expired` if the host wants to know that the user asks for another link. `offered`: a form that posts
   * `action` = `renew` does that. Let it post `fields` as well: the next view has them again. `requested`: it was posted, and
   * `status` is 200.
   */
  renewal?: 'offered' | 'requested';
  /** The stored submission. Present for `link_submitted`, unless its session was deleted. */
  receipt?: Receipt;
  /** Present if the link exists. It is not secret: a page may use it as the key of data that it stores in the browser. */
  linkId?: string;
  /** Present if the link exists. */
  contact?: WidgetContact;
  clientName?: string;
}

/** Renders the page that asks the recipient. */
export interface RenderCheck {
  (view: CheckView): Awaitable<WidgetPage>;
  /** true: it renders a view with `question` and no `member`. Otherwise the built-in page asks such questions. */
  readonly knowsQuestions?: boolean;
}

/**
 * Renders the standalone pages. The form posts to its own URL: either `application/x-www-form-urlencoded`, or `multipart/form-data`
 * with photos, which `readForm` converts to a claim, or JSON, a `ClaimSubmission`. With `Accept: application/json` the response is
 * `{ "data": { "reference", "date", "redirectUrl" } }` or a problem. Otherwise it is a page or a redirect. A form with
 * `Prefer: return=representation` as well gets `main` of that page as `page`, with its `style` and `script`, unless the link
 * redirects at once. A repeated submission adds `"repeated": true` and `"unchanged"`: if that is false, the changes of this claim are not stored.
 */
export interface StandaloneWidget {
  /**
   * BCP 47 tags of the languages of the pages, the default first. The page gets the best one for the `lang` parameter
   * of its URL or, without that, for `Accept-Language`. Default: English only.
   */
  readonly locales?: readonly string[];
  /**
   * Converts submitted form fields to a claim. `form` is the form of the client, if it has one. claimlink validates the
   * result. A result without `incident.photos` has all photos of the link; `photoNames` may name their files, by the ids of
   * the photos. Must not throw.
   */
  readForm(fields: URLSearchParams, form?: ClientForm): unknown;
  /** Renders the claim form of a usable link. */
  renderForm(view: FormView): Awaitable<WidgetPage>;
  /** Renders the page after a submission, unless the link redirects at once. */
  renderSuccess(view: SuccessView): Awaitable<WidgetPage>;
  /**
   * Renders the page after a submission that differs from the stored one: its changes are not stored. Default:
   * `renderUnavailable` with `link_submitted`.
   */
  renderChanged?(view: ChangedView): Awaitable<WidgetPage>;
  /**
   * Renders the page that asks the recipient, for clients with `recipientCheck`. Its form posts to its own URL, as
   * `application/x-www-form-urlencoded`, with `action` = `check` and the answer as `answer`. A right answer gets a redirect
   * to the form. Default: the built-in page.
   */
  renderCheck?: RenderCheck;
  /** Renders the page of a link that is unknown, expired, revoked or submitted, and of other errors behind a link. */
  renderUnavailable(view: UnavailableView): Awaitable<WidgetPage>;
}
