// The way past the promise of `handle`: adapters are answered at once by a service whose storage answers at once.
import type { CoreRequest, CoreResponse } from './http.js';
import type { Awaitable } from './types.js';

/** Answers a request as `handle` does, with a response, to be read only, or a promise of it. */
export type Answer = (request: CoreRequest) => Awaitable<CoreResponse>;

/** What answers requests: a service, or what a host has put in front of one. */
interface Handling {
  handle(request: CoreRequest): Promise<CoreResponse>;
}

const answers = new WeakMap<Handling, Answer>();

/** Makes `answer` known as what is behind the `handle` of this object, which must be frozen. */
export function rememberAnswer(service: Handling, answer: Answer): void {
  answers.set(service, answer);
}

/** What answers for this object: its `handle`, or what is known to be behind it. A copy has a `handle` of its own. */
export function answerOf(service: Handling): Answer {
  return answers.get(service) ?? ((request) => service.handle(request));
}
