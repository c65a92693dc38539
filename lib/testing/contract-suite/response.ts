// Requests and responses as the rules see them.

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  /** Complete URL. It may contain an access code and a token. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A response with its complete body. */
export interface TextResponse {
  /** Name of the request in messages. */
  readonly title: string;
  readonly request: SentRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** One session of a listing, not validated. */
export type WireSession = Readonly<Record<string, unknown>>;
