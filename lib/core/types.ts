// The vocabulary of claimlink: what a session, a client, an API key and a link are.

/** A value, or a promise of it. Storages may answer either way; a plain value saves a turn of the event loop. */
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
  email: string;
  /** Taken by the link request and kept, but not part of the documented listing. */
  phone?: string;
}

/** Contract: "vehicle". */
export interface Vehicle {
  licensePlate: string;
}

/** The insurance policy that a claim was made under. Contract: "selectedPolicy". */
export interface SelectedPolicy {
  number: string;
  provider: string;
  holder: Holder;
  /** Calendar date, `YYYY-MM-DD`. */
  validFrom: string;
  /** Calendar date, `YYYY-MM-DD`. */
  validTo: string;
  linkedContacts: readonly LinkedContact[];
  vehicle: Vehicle;
}

/** What the user told about the incident. Kept with the session; the documented listing has no place for it. */
export interface Incident {
  /** Calendar date, `YYYY-MM-DD`. */
  date?: string;
  /** Free text, up to 4000 characters. */
  description?: string;
}

/**
 * One claim-submission session, as a storage holds it: dates at full precision.
 * The listing writes exactly the members that the contract documents, in its order and date shapes.
 *
 * A storage that keeps sessions as objects does well to freeze them, and to give the same object until it changes:
 * claimlink remembers the JSON of a frozen session, and writes that of any other anew each time.
 */
export interface Session {
  /** Unique within the client. */
  reference: string;
  /** When the claim was submitted. */
  date: Date;
  /** Reference in the claims-management system. */
  camsReference: string;
  /** `submitted` for every session that claimlink makes; the contract names no other value. */
  status: string;
  /** When the session began: for a standalone link, when the link was first opened. */
  createdAt: Date;
  selectedPolicy: SelectedPolicy;
  /** Not part of the listing. */
  incident?: Incident;
}

/** One page of a listing. */
export interface SessionPage {
  /** Newest `createdAt` first, then `reference` ascending. */
  sessions: readonly Session[];
  /** Present when there is more; opaque, made by the storage. */
  nextCursor?: string;
}

/** Which page of a listing. */
export interface PageRequest {
  /** 1 .. `maxPageSize`; default `maxPageSize`. */
  limit?: number;
  /** The `nextCursor` of the page before. */
  cursor?: string;
  /** Only sessions of exactly this status. */
  status?: string;
}

/** A company that runs the widget: the owner of keys, links and sessions. */
export interface Client {
  /** 1 to 100 UTF-16 code units; never `verify`, never starting with `__`. */
  clientId: string;
  /** Shown on the standalone pages. */
  name?: string;
  /**
   * Where its links may send users back to: origins (`https://app.example.com`) and custom schemes (`myapp:`).
   * Absent: any https origin, no custom scheme. Empty: none.
   */
  callbackOrigins?: readonly string[];
}

/** An API key as it is stored: never the key, only its SHA-256. */
export interface ApiKey {
  /** Names the key in lists and for revoking; not secret. */
  id: string;
  clientId: string;
  /** `hashApiKey(key)`: SHA-256, lower-case hex. */
  hash: string;
  /** What a person may recognise it by, such as its first and last characters: `clk_…x9Qz`. */
  hint?: string;
  createdAt: Date;
  /** Refused from this moment on. Absent: never expires. */
  expiresAt?: Date;
  /** Refused from this moment on. */
  revokedAt?: Date;
}

/** Whom the user can turn to. Contract: config.contact. */
export interface WidgetContact {
  email: string;
  phone: string;
  /** http(s) URL. */
  link?: string;
}

/** Data to prefill the form with; every member optional. Contract: "policy members". */
export interface PolicyPrefill {
  provider?: string;
  number?: string;
  validTo?: string;
  validFrom?: string;
  holder?: { firstName?: string; lastName?: string; email?: string; phone?: string };
  vehicle?: { licensePlate?: string };
  linkedContacts?: readonly { firstName?: string; lastName?: string; email?: string; phone?: string }[];
}

/** Contract: "Link request configuration". */
export interface WidgetConfig {
  contact: WidgetContact;
  /** A string, or a safe integer; 42 and "42" are the same user. */
  currentUserId: string | number;
  policy?: PolicyPrefill;
  /** Step at which the widget starts. */
  initialStepKey?: string;
  /** http(s) URL. */
  privacyPolicyUrl?: string;
}

/** Body of `POST /:clientId/link`. */
export interface LinkRequest {
  /** Where the user goes after the claim: absolute https URL. `{SESSION_REFERENCE}` and `{STATUS}` are filled in. */
  callbackUrl: string;
  /** true: redirect at once; false: show the success page first. Default false. */
  callbackOnSubmit?: boolean;
  config: WidgetConfig;
}

/** A standalone link as it is stored: never the access code, only its SHA-256. */
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
}

/** What `openLink` tells a host that shows the widget itself. */
export interface OpenLink {
  clientId: string;
  clientName?: string;
  userId: string;
  callbackUrl: string;
  callbackOnSubmit: boolean;
  config: WidgetConfig;
  openedAt: Date;
  expiresAt: Date;
}

/** The claim that a user submits (an insurance claim, not a claim of a token). */
export interface ClaimSubmission {
  policy: {
    number: string;
    provider: string;
    /** Calendar date, `YYYY-MM-DD`. */
    validFrom: string;
    /** Calendar date, `YYYY-MM-DD`, not before `validFrom`. */
    validTo: string;
    holder: {
      firstName: string;
      lastName: string;
      /** Default: the id of the link's user. */
      id?: string;
      phone: string;
      email: string;
    };
    linkedContacts?: readonly LinkedContact[];
    vehicle: Vehicle;
  };
  incident?: Incident;
}

/** What became of a submission. */
export interface Submission {
  reference: string;
  session: Session;
  /** Where the user goes next, placeholders filled in; absent when the client no longer allows that origin. */
  redirectUrl?: string;
  /** false: show a success page before the redirect. */
  callbackOnSubmit: boolean;
  /** true when the claim was in already: this is the first submission's outcome, nothing was created. */
  repeated: boolean;
}

/** What `onSubmit` gets, once per link, after the session is stored. */
export interface SubmissionEvent {
  clientId: string;
  userId: string;
  session: Session;
}

/** A request as `onError` may see it: no token, key, user id, header or body. */
export interface RedactedRequest {
  method: string;
  /** The route's path with only the client's id filled in: `/demo/sessions/:userId`. */
  path: string;
}
