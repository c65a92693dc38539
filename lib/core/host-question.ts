// The question of a host to the recipient of a link, which the option `checkRecipient` answers.
//
// For the security review. Only true and false are answers. Anything else is a failure, which takes no attempt, because it is
// no guess. A person who can make the function fail gets MAX_FORGIVEN such tries of a link in each process. The message of an
// error may quote the answer, as those of databases do, so the report has names, codes and places in the code only.
import { isCalendarDate, visibleText } from './claim-rules.js';
import { ClaimlinkError } from './errors.js';
import { failureReason } from './failure-reason.js';
import { isError } from './plain-data.js';
import { withinTime } from './time-limit.js';
import type { Awaitable, Client, OpenLink, RecipientQuestion } from './types.js';

/** The answer of a recipient to the question of a client. */
export interface GivenAnswer {
  /** The link. Its `userId`, and `policy` and `extra` of its `config`, say whose answer it should be. */
  link: OpenLink;
  /** The client of the link. `settings.recipientCheck` is the question. */
  client: Client;
  /** What the recipient has entered: a text of 1 to 1,000 UTF-16 code units without spaces around it, or a date, `YYYY-MM-DD`. */
  answer: string;
}

/** Returns whether the answer of a recipient is right. Anything but true and false is a failure. */
export type CheckRecipient = (answer: GivenAnswer) => Awaitable<boolean>;

/** What needs `checkRecipient`, and what to do without it, for messages. */
export const NEEDS_CHECK_RECIPIENT =
  'asks a question of the host, which needs the option checkRecipient of createClaimlink';

/** Maximum duration of `checkRecipient` in seconds. */
export const CHECK_RECIPIENT_SECONDS = 5;
/** Number of failures of a link that take no attempt. */
const MAX_FORGIVEN = 20;
/** Number of links whose failures are counted. The one that failed first is dropped. */
const MAX_COUNTED = 10_000;
const MAX_ANSWER_LENGTH = 1000;

/** Returns an answer as the host gets it. Returns undefined for what is none: a mistake, not a guess. */
export function readAnswer({ kind }: RecipientQuestion, text: string): string | undefined {
  const answer = text.trim();
  if (kind === 'date') return isCalendarDate(answer) ? answer : undefined;
  // Databases reject NUL and lone surrogates. One line of text has no other control character.
  const isText = visibleText(answer) !== '' && answer.isWellFormed() && !/\p{Cc}/u.test(answer);
  return isText && answer.length <= MAX_ANSWER_LENGTH ? answer : undefined;
}

/** Asks the host. */
export interface HostQuestion {
  /** @throws `recipient_check_unavailable` if the service has no `checkRecipient`. */
  assertPresent(): void;
  /** Returns whether an answer is right. @throws `recipient_check_unavailable` if the host does not say it. */
  isRight(answer: GivenAnswer): Promise<boolean>;
  /** Counts a failure of a link. Returns whether it takes no attempt. */
  forgives(linkId: string): boolean;
}

/** Creates the calls of `checkRecipient`. */
export function createHostQuestion(
  checkRecipient: CheckRecipient | undefined,
  seconds = CHECK_RECIPIENT_SECONDS,
): HostQuestion {
  const failures = new Map<string, number>();

  async function call(answer: GivenAnswer): Promise<boolean> {
    let result: unknown;
    try {
      result = await checkRecipient?.(answer);
    } catch (error) {
      throw unavailable('threw an error', withoutTexts(error));
    }
    if (typeof result === 'boolean') return result;
    throw unavailable('returned neither true nor false');
  }

  return {
    assertPresent() {
      if (checkRecipient !== undefined) return;
      throw new ClaimlinkError('recipient_check_unavailable', `The client ${NEEDS_CHECK_RECIPIENT}.`);
    },

    isRight: (answer) =>
      withinTime(call(answer), seconds, () => unavailable(`did not end within ${seconds} s`)),

    forgives(linkId) {
      const count = (failures.get(linkId) ?? 0) + 1;
      failures.set(linkId, count);
      const [oldest = ''] = failures.keys();
      if (failures.size > MAX_COUNTED) failures.delete(oldest);
      return count <= MAX_FORGIVEN;
    },
  };
}

function unavailable(what: string, cause?: Error): ClaimlinkError {
  return new ClaimlinkError('recipient_check_unavailable', `checkRecipient ${what}.`, cause && { cause });
}

/** Returns an error with the names, the codes and the places of another one, and none of its texts. */
function withoutTexts(error: unknown): Error {
  const copy = new Error(failureReason(error));
  const { stack = '', message = '' } = isError(error) ? error : {};
  // A line of the message may look like a place.
  const start = stack.indexOf(message);
  const places = start === -1 ? [] : stack.slice(start + message.length).match(/^\s+at .*$/gm);
  copy.stack = [String(copy), ...(places ?? [])].join('\n');
  return copy;
}
