// Responses as the rules see them.

/** A response with its complete body. */
export interface TextResponse {
  /** Name of the request in messages. */
  readonly title: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** One session of a listing, not validated. */
export type WireSession = Readonly<Record<string, unknown>>;
