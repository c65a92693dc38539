// The domain types: session, client, API key, link, claim.
import type { ClaimField, FieldNeed } from './claim-fields.js';
import type { PhotoType } from './photo-types.js';

/** A value or a promise of it. A storage may return either. */
export type Awaitable<T> = T | PromiseLike<T>;

/** The insured person. Contract: "holder". */
export interface Holder {
  firstName: string;
  lastName: string;
  id: string;
  phone: string;
  email: string;
}

/** A person linked to the policy. Contract: "linkedContacts element". */
export interface LinkedContact {
  firstName: string;
  lastName: string;
  /** Empty if the user left it out. */
  email: string;
  /** Accepted in requests and stored. Not part of the documented listing. */
  phone?: string;
}

/** Contract: "vehicle". */
export interface Vehicle {
  licensePlate: string;
}

/** The insurance policy of the claim. Contract: "selectedPolicy". A text that the user left out is empty. */
export interface SelectedPolicy {
  number: string;
  provider: string;
  holder: Holder;
  /** Calendar date, `YYYY-MM-DD`. Empty if the form of the client lets the user leave it out. */
  validFrom: string;
  /** Calendar date, `YYYY-MM-DD`. Empty if the form of the client lets the user leave it out. */
  validTo: string;
  linkedContacts: readonly LinkedContact[];
  vehicle: Vehicle;
}

/** Description of the incident by the user. Stored with the session; not part of the documented listing. */
export interface Incident {
  /** Calendar date, `YYYY-MM-DD`. */
  date?: string;
  /** About when it was, `HH:MM`, in the time zone of the place. */
  time?: string;
  /** Where it was, up to 200 UTF-16 code units. */
  place?: string;
  /** Key of one of the client's `incidentTypes`. */
  type?: string;
  /** Free text, up to 4000 UTF-16 code units. */
  description?: string;
  /** Whether a person was injured. */
  injured?: boolean;
  /** Reference of the police, up to 100 UTF-16 code units. */
  policeReference?: string;
  /** The vehicle of the other party. */
  otherVehicle?: { licensePlate?: string; insurer?: string };
  /**
   * Answers to the client's own `questions`, by their keys: true or false for a `boolean`, `YYYY-MM-DD` for a `date`, the
   * key of an option for a `choice`, else the text.
   */
  answers?: { readonly [key: string]: string | boolean };
  /** Photos of the damage, which the store of photos has. Absent without any. */
  photos?: readonly ClaimPhoto[];
}

/** A photo of a claim. */
export interface ClaimPhoto {
  /** The `photoId`: 64 lower-case hex digits. */
  id: string;
  type: PhotoType;
  /** Number of bytes. */
  size: number;
  /** Name of its file, up to 200 UTF-16 code units, if the sender of the claim says one. */
  name?: string;
}

/**
 * One claim-submission session as a storage holds it, with dates at full precision.
 * The listing contains exactly the members that the contract documents, in its order and date shapes.
 *
 * A storage in memory may return the same frozen list of frozen sessions until one of them changes. claimlink then
 * caches the JSON of the list. Freeze the members of each session as well.
 */
export interface Session {
  /** Unique within the client. */
  reference: string;
  /** Time of the submission. */
  date: Date;
  /** Reference in the claims-management system. */
  camsReference: string;
  /** `submitted` for every session that claimlink creates. The contract names no other value. */
  status: string;
  /** Start of the session. For a standalone link: the time of its first opening. */
  createdAt: Date;
  selectedPolicy: SelectedPolicy;
  /** Not part of the listing. */
  incident?: Incident;
  /** `extra` of the claim. Not part of the documented listing. */
  extra?: JsonObject;
  /** The link that created the session. Absent for a session of another origin. Not part of the documented listing. */
  link?: SessionLink;
  /** The privacy policy that the submission was made with. Absent if the link named none. Not part of the documented listing. */
  notice?: SessionNotice;
}

/** The privacy policy that a submission was made with: evidence for the host. */
export interface SessionNotice {
  /** `config.privacyPolicyUrl` of the link request. */
  url: string;
  /** Time of the submission. Opening a link proves nothing about a person. */
  at: Date;
  /** Present if the client has `noticeConfirmation`: the user confirmed that they have read the policy. */
  accepted?: true;
}

/** What a session keeps of the link that created it. */
export interface SessionLink {
  /** The `linkId` of `createLink`. */
  linkId: string;
  /** `config.extra` of the link request. */
  extra?: JsonObject;
}

/** A session with its owner. */
export interface SessionRecord extends Session {
  clientId: string;
  userId: string;
}

/** One page of a listing. */
export interface SessionPage {
  /** Newest `createdAt` first, then `reference` ascending. */
  sessions: readonly Session[];
  /** Present if more sessions follow. Opaque; created by the storage. */
  nextCursor?: string;
}

/** Selects one page of a listing. */
export interface PageRequest {
  /** 1 .. `maxPageSize`; default `maxPageSize`. */
  limit?: number;
  /** The `nextCursor` of the previous page. */
  cursor?: string;
  /** Selects sessions with exactly this status. */
  status?: string;
}

/** A value of JSON (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** A company that runs the widget. It owns API keys, links and sessions. */
export interface Client {
  /** 1 to 100 UTF-16 code units; never `verify`, never starting with `__`. */
  clientId: string;
  /** Shown on the standalone pages: 1 to 100 UTF-16 code units without control characters. */
  name?: string;
  /**
   * Allowed targets of its callback URLs: origins (`https://app.example.com`, also `http://portal:3000`) and custom
   * schemes (`myapp:`). Absent: every https origin is allowed, and no custom scheme. Empty: no callback is allowed.
   * At most 1,000 entries.
   */
  callbackOrigins?: readonly string[];
  /** BCP 47 tag: language of the pages if the browser accepts none of their languages. Default: the widget's first one. */
  locale?: string;
  /** How the standalone pages show the client. */
  branding?: Branding;
  /** Origins that may show the standalone pages in a frame, at most 1,000. Default: none. */
  frameAncestors?: readonly string[];
  /** Further settings. A storage stores the object as JSON, unchanged: later versions add members. */
  settings?: ClientSettings;
}

/** Members that may be absent, or null. */
export type Removable<T> = { [K in keyof T]?: T[K] | null };

/**
 * A change of the settings of a client: a member that is absent stays, and null removes a member. Members of `branding` and
 * `settings` are changed one by one. Lists and the form are replaced as a whole.
 */
export interface ClientChange extends Removable<Omit<Client, 'clientId' | 'branding' | 'settings'>> {
  branding?: Removable<Branding> | null;
  settings?: Removable<ClientSettings> | null;
}

/** A change of one client, for `updateClient`. */
export interface ClientUpdate extends ClientChange {
  clientId: string;
}

// #region settings, written by `npm run generate` from settings.ts
/** Further settings of a client, each with a default. */
export interface ClientSettings {
  /**
   * Seconds after which the success page goes on to the callback by itself, 5 to 300, or `'never'`. Any activity of the
   * user ends the countdown. Default: 60.
   */
  redirectAfterSeconds?: number | 'never';
  /**
   * Members of the prefill: the page asks for one before it shows any. Or a question of yours. It needs a storage that
   * implements `CheckStorage`, and a signer with `derive`. Default: it asks nothing.
   *
   * A list has members of the prefill, 1 to 5 different ones: the page asks for the first one that the link prefills.
   * If the link prefills none of them, no prefill is shown. Do not name the address or the number that you send the
   * link to.
   *
   * A question of your own is answered by `checkRecipient` of `createClaimlink`, also for links without prefill.
   */
  recipientCheck?: readonly RecipientMember[] | RecipientQuestion;
  /**
   * true shows a QR code of the link on the form in wide windows. Default: false.
   *
   * It adds 3 kB to the page with a compact token, 10 kB with a JWS.
   */
  continueOnPhone?: boolean;
  /**
   * true shows *This is not for me* on the form and the question: it revokes the link. It needs a storage that
   * implements `LifeStorage`. Default: false.
   *
   * The recipient says why.
   */
  allowDecline?: boolean;
  /** `'device'` keeps what is typed on the device, `'tab'` in the tab. Default: tab. */
  keepDraft?: 'tab' | 'device';
  /**
   * What the claim form asks: the form of a client.
   *
   * Default: the form that docs/client-settings.md shows. At most 64 KiB as JSON.
   */
  form?: ClientForm;
}
// #endregion settings

/** A question of the host to the recipient of a link. At most 64 KiB as JSON. */
export interface RecipientQuestion {
  /**
   * 1 to 50 letters, digits, `_` and `-`, the first one a letter. An answer counts for the question with this id: a question with
   * another meaning needs another id.
   */
  id: string;
  /** A `text` has one line of at most 1,000 UTF-16 code units. A `date` is `YYYY-MM-DD`, from 1900-01-01 on. */
  kind: 'text' | 'date';
  /** At least one language. A label has 1 to 200 UTF-16 code units, a hint at most 500. */
  texts: TextsByLanguage<{ label: string; hint?: string }>;
}

/** The members of the prefill that a recipient can be asked for, as JSON Pointers into `config` of the link request. */
export const RECIPIENT_MEMBERS = [
  '/policy/vehicle/licensePlate',
  '/policy/number',
  '/policy/holder/lastName',
  '/policy/holder/email',
  '/policy/holder/phone',
] as const;

/** A member of the prefill that a recipient can be asked for. */
export type RecipientMember = (typeof RECIPIENT_MEMBERS)[number];

/** What the recipient of a link has answered, for `openLink` and `submitClaim`. */
export interface RecipientProof {
  /**
   * The answer to the question that `recipient_check_required` names. It is compared as people type it: case, accents and
   * separators do not matter; of a phone number, only the last six digits do. `checkRecipient` compares the answer to a question
   * of the host. Links without a question ignore it.
   */
  recipientAnswer?: string;
}

/** Texts by the BCP 47 tag of their language. A language without a text gets the one of another language. */
export interface TextsByLanguage<T = string> {
  readonly [language: string]: T;
}

/** What the claim form of a client asks. Core enforces it for forms and JSON alike. */
export interface ClientForm {
  /**
   * Whether the form asks for a field, by its JSON Pointer in the claim. `hidden`: the form does not ask, but a value
   * that is sent or prefilled is checked and stored. Phone or email of the holder is `required`.
   */
  fields?: { readonly [field in ClaimField]?: FieldNeed };
  /** The values of `/incident/type`, at most 30. */
  incidentTypes?: readonly FormChoice[];
  /** Questions of the client, at most 20, in the order of the form. */
  questions?: readonly FormQuestion[];
  /**
   * What the form needs of each person in `/policy/linkedContacts`, beside the name. `email_or_phone`: one of both.
   * Default: `email`.
   */
  contacts?: 'email' | 'email_or_phone';
  /**
   * true: a claim is accepted only if the user confirms that they have read the privacy policy of the link, as
   * `noticeAccepted: true`. It has no effect on links without `privacyPolicyUrl`. Default: false.
   */
  noticeConfirmation?: boolean;
  /** Where the built-in form shows the link to the privacy policy and its confirmation. `first`: where it begins. Default: `review`. */
  noticePlace?: 'review' | 'first';
  /**
   * true: the built-in form asks about an email address whose domain is near a common one (`gmial.con`). It never
   * rejects it. Default: false.
   */
  emailSuggestion?: boolean;
  /** Order of the fields in the steps of the built-in form. */
  order?: FormOrder;
  /** Lets the form call the emergency services. Default: the form has a sentence, and no number. */
  emergency?: EmergencyCall;
  /** Photos of the damage. It needs the option `photos` of `createClaimlink`. Default: the form takes none. */
  photos?: FormPhotos;
  /** Plain texts of the client on the pages. */
  texts?: TextsByLanguage<FormTexts>;
}

/** The photos of a claim. */
export interface FormPhotos {
  /** `required`: a claim needs a photo. `hidden`: the form takes none. */
  need: FieldNeed;
  /** Maximum number of photos, 1 to 50; never more than `maxPhotos` of the option `photos`. Default: `maxPhotos`. */
  most?: number;
  /** true accepts HEIC, which most browsers cannot show. Default: false. */
  heic?: boolean;
}

/**
 * By step, JSON Pointers of its fields and keys of its questions, each once. What is not named follows in the default order. The
 * dates of the cover stay together, and so do the fields of the holder.
 */
export interface FormOrder {
  policy?: readonly string[];
  incident?: readonly string[];
  contact?: readonly string[];
}

/** The button that calls the emergency services, below `emergency` of the texts or a sentence of claimlink. */
export interface EmergencyCall {
  /** The number that it calls: 3 to 20 digits and spaces, and perhaps `+` before them. Default: `112`. */
  phone?: string;
  /** true: always at the top of the first step. Default: after the answer that a person was injured. */
  first?: boolean;
}

/** One value of a list to choose from. */
export interface FormChoice {
  /** Stored if the user chooses it: 1 to 50 letters, digits, `_` and `-`, the first one a letter. Unique in its list. */
  key: string;
  /** Shown to the user: 1 to 200 UTF-16 code units, in at least one language. */
  texts: TextsByLanguage;
}

/** A question of a client. */
export interface FormQuestion {
  /** Key of the answer in `incident.answers`: 1 to 50 letters, digits, `_` and `-`, the first one a letter. Unique. */
  key: string;
  /** The step of the form that asks it, after the fields of that step. */
  step: 'policy' | 'incident' | 'contact';
  /** Default: false. */
  required?: boolean;
  /** A `text` has at most 200 UTF-16 code units, a `textarea` 2,000. */
  kind: 'text' | 'textarea' | 'date' | 'boolean' | 'choice';
  /** At least one language. A label has 1 to 200 UTF-16 code units, a hint at most 500. */
  texts: TextsByLanguage<{ label: string; hint?: string }>;
  /** The options of a `choice`, 2 to 30. */
  options?: readonly FormChoice[];
}

/** Plain texts of a client on the pages, each of at most 2,000 UTF-16 code units. */
export interface FormTexts {
  /** Shown above the form. */
  introduction?: string;
  /** Shown on the receipt: what happens next. */
  nextSteps?: string;
  /** Shown after the answer that a person was injured, or where `emergency.first` says; without JavaScript always. */
  emergency?: string;
  /** Shown with the number of the policy: where the user finds it. */
  policyNumber?: string;
  /** Shown with the list of people, instead of the text of claimlink. */
  contacts?: string;
  /** Shown after the request for another link: where and when it comes. */
  renewal?: string;
}

/** The brand of a client on the standalone pages. */
export interface Branding {
  /** Shown instead of the client's `name`: 1 to 100 UTF-16 code units without control characters. */
  displayName?: string;
  /** https URL of an image, shown in a box of 160 x 40 CSS pixels. */
  logoUrl?: string;
  /** true: the logo has the name in it, so that no text beside it repeats the name. Default: false. */
  nameInLogo?: boolean;
  /** `#rrggbb` with a contrast of at least 4.5:1 against white. The dark theme gets a lighter tone of it. */
  primaryColor?: string;
  /** https URL of a page with help. */
  supportUrl?: string;
  /** https URL of the legal notice. */
  imprintUrl?: string;
}

/** A stored API key. The storage sees the SHA-256 of the key only. */
export interface ApiKey {
  /** Identifies the key in lists and for revocation. Not secret. */
  id: string;
  clientId: string;
  /** `hashApiKey(key)`: SHA-256, lower-case hex. */
  hash: string;
  /** Helps a person to recognise the key, such as its first and last characters: `clk_…x9Qz`. */
  hint?: string;
  createdAt: Date;
  /** The key is rejected from this time on. Absent: the key never expires. */
  expiresAt?: Date;
  /** The key is rejected from this time on. */
  revokedAt?: Date;
  /**
   * Hour in which a request with the key was last accepted: its start. Absent if the key was never used, or if the storage
   * does not implement `KeyUseStorage`.
   */
  lastUsedAt?: Date;
}

/** Contact that the pages show to the user. Contract: config.contact. */
export interface WidgetContact {
  email: string;
  phone: string;
  /** http(s) URL. */
  link?: string;
}

/** Data that prefills the form. Contract: "policy members". */
export interface PolicyPrefill {
  provider?: string;
  number?: string;
  validTo?: string;
  validFrom?: string;
  holder?: Partial<Omit<Holder, 'id'>>;
  vehicle?: Partial<Vehicle>;
  linkedContacts?: readonly { firstName?: string; lastName?: string; email?: string; phone?: string }[];
}

/** Contract: "Link request configuration". */
export interface WidgetConfig {
  contact: WidgetContact;
  /** A string or a safe integer. 42 and "42" identify the same user. */
  currentUserId: string | number;
  policy?: PolicyPrefill;
  /** Step at which the widget starts. */
  initialStepKey?: string;
  /** http(s) URL. */
  privacyPolicyUrl?: string;
  /**
   * The `linkId` of the link that this one replaces. With `keepDraft: 'device'`, the form offers what was typed for it.
   * Ignored if claimlink has no such link of the same client and user.
   */
  renews?: string;
  /** Data of the host for its widget: at most 16 KiB as JSON and 32 levels. claimlink stores it unchanged. */
  extra?: JsonObject;
}

/** Body of `POST /:clientId/link`. */
export interface LinkRequest {
  /** Redirect target after the submission: absolute https URL. `{SESSION_REFERENCE}` and `{STATUS}` are replaced; their braces are unencoded. */
  callbackUrl: string;
  /** true: redirect immediately. false: show the success page first. Default: false. */
  callbackOnSubmit?: boolean;
  config: WidgetConfig;
}

/** Options of `createLink`. */
export interface LinkOptions {
  /** Lifetime of this link in seconds: 60 .. 2_592_000 (30 days). Default: `linkTtlSeconds`. */
  ttlSeconds?: number;
  /**
   * A repeated call with this key and the same request returns the link of the first call, in any state, and creates none:
   * 1 to 255 printable ASCII characters, random such as a UUID. The key belongs to one client, until the link is deleted.
   * It needs a signer with `derive` and a storage that implements `IdempotencyStorage`.
   */
  idempotencyKey?: string;
}

/** Result of `createLink`. */
export interface CreatedLink {
  /** The link: `{publicUrl}/verify/<access_code>?token=<token>`. Secret: anyone who has it can submit the claim. */
  url: string;
  /** Identifies the link in `listLinks` and `revokeLink`. Not secret. */
  linkId: string;
  expiresAt: Date;
}

/** A stored standalone link. The storage sees the SHA-256 of the access code only. */
export interface Link {
  accessCodeHash: string;
  clientId: string;
  userId: string;
  callbackUrl: string;
  callbackOnSubmit: boolean;
  config: WidgetConfig;
  createdAt: Date;
  expiresAt: Date;
  openedAt?: Date;
  revokedAt?: Date;
  submittedAt?: Date;
  /** Id of the API key whose request created the link. A storage may leave it out: its histories then lack it. */
  createdBy?: string;
}

/** Formats of the token of a link. */
export const LINK_FORMATS = ['jws', 'compact'] as const;

/** Format of the token of a link: a signed JWT, or a short text. */
export type LinkFormat = (typeof LINK_FORMATS)[number];

/** States of a link. A link is usable while it is created or opened. */
export const LINK_STATES = ['created', 'opened', 'submitted', 'expired', 'revoked'] as const;

/** State of a link. A submitted or revoked link keeps its state after it expires. */
export type LinkState = (typeof LINK_STATES)[number];

/** Result of `openLink`: everything that a page needs to show the widget. */
export interface OpenLink {
  /** The `linkId` of `createLink`. */
  linkId: string;
  clientId: string;
  clientName?: string;
  userId: string;
  callbackUrl: string;
  callbackOnSubmit: boolean;
  config: WidgetConfig;
  openedAt: Date;
  expiresAt: Date;
  /** `Client.locale`: language of the page if the browser accepts none of its languages. */
  locale?: string;
  /** `Client.branding`. */
  branding?: Branding;
  /** `Client.frameAncestors`. */
  frameAncestors?: readonly string[];
  /** `Client.settings`. */
  settings?: ClientSettings;
}

/**
 * The insurance claim that a user submits. Not to be confused with the claims of a token. The form of the client decides
 * which members are required. A text in which nothing can be seen counts as absent. Codes lose invisible characters.
 */
export interface ClaimSubmission {
  policy: {
    number?: string;
    provider?: string;
    /** Calendar date from 1900-01-01 on, `YYYY-MM-DD`. */
    validFrom?: string;
    /** Calendar date from 1900-01-01 on, `YYYY-MM-DD`, not before `validFrom`. */
    validTo?: string;
    /** Default of `id`: the user id of the link. */
    holder?: Partial<Holder>;
    /** `email` is required, unless the form of the client says `email_or_phone` and there is a `phone`. */
    linkedContacts?: readonly { firstName: string; lastName: string; email?: string; phone?: string }[];
    vehicle?: Partial<Vehicle>;
  };
  /** It names photos of its link by their ids; the store says type and size. */
  incident?: Omit<Incident, 'photos'> & {
    photos?: readonly (Pick<ClaimPhoto, 'id'> & Partial<ClaimPhoto>)[];
  };
  /** The user confirms that they have read the privacy policy of the link. Required, as true, with `noticeConfirmation`. */
  noticeAccepted?: boolean;
  /** Data of the widget for the host: at most 16 KiB as JSON and 32 levels. claimlink stores it unchanged. */
  extra?: JsonObject;
}

/** A claim that claimlink has accepted, as `validateClaim` gets it. */
export interface AcceptedClaim extends ClaimSubmission {
  incident?: Incident;
}

/** Result of `submitClaim`. */
export interface Submission {
  reference: string;
  session: Session;
  /** Redirect target with placeholders replaced. Absent if the client no longer allows its origin. */
  redirectUrl?: string;
  /** true: redirect immediately. false: show a success page first. */
  callbackOnSubmit: boolean;
  /** true if the link was submitted before. The result then describes the first submission. */
  repeated: boolean;
  /**
   * Present if `repeated`: whether this claim equals the stored one. If it is false, the changes of this claim are not
   * stored: do not tell the user that it was sent. A claim that is not valid is false.
   */
  unchanged?: boolean;
}

/** Kinds of events, as the option `events` chooses them. */
export const EVENT_TYPES = [
  'claim.submitted',
  'link.started',
  'link.expiring',
  'link.expired',
  'link.revoked',
  'link.declined',
  'link.renewal_requested',
  'link.locked',
  'data.deleted',
] as const;

/** Kind of an event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Kind of an event that a `LifeStorage` records. */
export type LifeEventType = Exclude<EventType, 'claim.submitted'>;

/** Why the recipient of a link does not report the claim. */
export const DECLINE_REASONS = ['wrong_person', 'nothing_to_report', 'reported_already', 'other'] as const;

/** Why the recipient of a link does not report the claim. */
export type DeclineReason = (typeof DECLINE_REASONS)[number];

/** Argument of `onEvent`. */
export type ClaimlinkEvent = SubmissionEvent | LinkEvent | DataDeletedEvent;

/** What every event has. */
interface DeliveredEvent {
  /**
   * Identifies the event: a UUID, the same in every attempt. `onEvent` may be called again for an event that it has
   * handled. Your receiver recognises a repeated call by this id.
   */
  id: string;
  /** Number of this attempt, from 1. */
  attempt: number;
  clientId: string;
}

/** Argument of `onSubmit`, and of `onEvent` after a submission. */
export interface SubmissionEvent extends DeliveredEvent {
  type: 'claim.submitted';
  userId: string;
  /**
   * The `linkId` of `createLink`. Absent if an older version of claimlink stored the submission. `session.link.extra`
   * is the `config.extra` of the link request.
   */
  linkId?: string;
  session: Session;
}

/** What became of a link. It has no personal data but the id of the user and the reason of `link.declined`. */
export interface LinkEvent extends DeliveredEvent {
  type: Exclude<LifeEventType, 'data.deleted'>;
  /** When it happened. Of `link.expiring` and `link.expired`: when it was due. */
  at: Date;
  userId: string;
  /** The `linkId` of `createLink`. */
  linkId: string;
  /** Position among the moments of the link, from 1. Events may arrive in another order. */
  sequence: number;
  expiresAt: Date;
  /** Present in `link.declined`. */
  why?: DeclineReason;
}

/** Says what was deleted, so that a host deletes what belongs to it. Each event names at most 500 links and sessions. */
export interface DataDeletedEvent extends DeliveredEvent {
  type: 'data.deleted';
  /** When it was deleted. */
  at: Date;
  /** `deleteUser`; `deleteSessions` or `deleteExpiredLinks`; `removeClient`. */
  why: 'user' | 'retention' | 'client';
  /**
   * Links whose session was deleted, also while the link exists, and deleted links without a session. An event may repeat a link
   * that had a claim.
   */
  linkIds: readonly string[];
  /** References of the deleted sessions. */
  references: readonly string[];
}

/** A moment in the life of a link. */
export interface LinkMoment {
  /** `claim.repeated`: a further submission, with the result of the first one. */
  type: LinkEvent['type'] | 'link.unlocked' | 'claim.repeated';
  at: Date;
  /** Present in `link.declined`. */
  why?: DeclineReason;
  /** Present in `claim.repeated`: whether the claim equals the stored one. */
  unchanged?: boolean;
}

/** Result of `deliverPending`. */
export interface DeliveryResult {
  /** Number of events that this call delivered. */
  delivered: number;
  /** Number of attempts of this call that failed. */
  failedAttempts: number;
  /** Number of events of all clients that are not delivered yet. Counted up to 10_000: this value means 10,000 or more. */
  pending: number;
  /**
   * Number of events of all clients that failed in 20 attempts: no further attempt delivers them. Counted up to 10_000.
   * `claimlink deliveries` shows and repeats them.
   */
  failed: number;
}

/** Identifies the stored submission whose `onSubmit` failed. */
export interface FailedSubmission {
  clientId: string;
  userId: string;
  /** Reference of the session. */
  reference: string;
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** true if no further attempt follows. */
  isFinal: boolean;
}

/** Identifies the event of a `LifeStorage` whose `onEvent` failed. */
export interface FailedEvent {
  type: LifeEventType;
  id: string;
  clientId: string;
  /** Absent in `data.deleted`. */
  linkId?: string;
  /** Number of the attempt that failed, from 1. */
  attempt: number;
  /** true if no further attempt follows. */
  isFinal: boolean;
}

/** The parts of a request that are safe to log: no token, key, user id, header or body. */
export interface RedactedRequest {
  method: string;
  /** Path of the route. Only the client id is filled in: `/demo/sessions/:userId`. */
  path: string;
}

/** The request of a 5xx, as `onError` gets it. */
export interface FailedRequest extends RedactedRequest {
  /** `urn:uuid:...` of this response. Its problem and its page contain it, so a user can report it. */
  instance: string;
}
