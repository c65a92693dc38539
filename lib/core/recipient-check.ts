// The recipient check: what a link asks its recipient, and whether an answer is right.
//
// For the security review. An attempt is reserved in the storage before its answer is compared, so that concurrent guesses
// have MAX_CHECK_ATTEMPTS in all. A right answer returns its attempt; a wrong one never comes back, except by unlockLink. So an
// attempt that is taken may be that of a right answer, for a moment: a link is locked if none comes back for the time that an
// answer takes. Digests of both texts are compared in constant time. A value with fewer than three characters is not asked: it
// could be guessed, or an answer without any character would be right. The host compares the answer to a question of its own
// (host-question.ts).
import { randomInt } from 'node:crypto';
import { knowsSettings } from './client-settings.js';
import { ClaimlinkError, type RuleProblem } from './errors.js';
import { CHECK_RECIPIENT_SECONDS, readAnswer } from './host-question.js';
import { type AnswerKind, answerLength, isSameAnswer } from './same-answer.js';
import type { CheckStorage, LinkRef, LinkWithClient } from './storage.js';
import type { PolicyPrefill, RecipientMember, RecipientQuestion } from './types.js';

/** Number of wrong answers after which a link is locked. */
export const MAX_CHECK_ATTEMPTS = 5;

/**
 * Time in milliseconds in which right answers return their attempts. After it, a link without an attempt is locked. For a question
 * of the host, it is the time that the host has.
 */
const LOCK_WAIT_MS = 2000;
/** The first and the longest pause between two looks for an attempt. Each one is up to twice as long as the one before. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 160;

const MIN_CHARACTERS = 3;
/** The longest member of the prefill has 254 UTF-16 code units. The rest of a longer answer is not read. */
const MAX_ANSWER_LENGTH = 1000;

const VALUES: Readonly<Record<RecipientMember, (policy: PolicyPrefill) => string | undefined>> = {
  '/policy/vehicle/licensePlate': ({ vehicle }) => vehicle?.licensePlate,
  '/policy/number': ({ number }) => number,
  '/policy/holder/lastName': ({ holder }) => holder?.lastName,
  '/policy/holder/email': ({ holder }) => holder?.email,
  '/policy/holder/phone': ({ holder }) => holder?.phone,
};

/** What a link asks its recipient: for a member of the prefill, or the question of the host. It has no personal data. */
export type Asked =
  | { member: RecipientMember; question?: never }
  | { question: RecipientQuestion; member?: never };

/** What a link asks, with the right answer if it is in the prefill: personal data. */
export interface LinkQuestion {
  asked: Asked;
  /** Absent for a question of the host. */
  expected?: string;
}

/** Thrown for a link whose recipient has not answered its question. It has no personal data. */
export class RecipientCheckError extends ClaimlinkError {
  readonly asked: Asked;
  /** Number of attempts that are left after a wrong answer. */
  readonly attemptsLeft: number | undefined;

  constructor(asked: Asked, attemptsLeft?: number) {
    const hasFailed = attemptsLeft !== undefined;
    super(
      hasFailed ? 'recipient_check_failed' : 'recipient_check_required',
      hasFailed ? `The answer does not match. Attempts left: ${attemptsLeft}.` : undefined,
      { problems: [problemOf(asked, hasFailed)] },
    );
    this.asked = asked;
    this.attemptsLeft = attemptsLeft;
  }
}

function problemOf({ member, question }: Asked, hasFailed: boolean): RuleProblem {
  const rule = 'recipient';
  if (question !== undefined) {
    const form = question.kind === 'date' ? ', a date from 1900-01-01 on, YYYY-MM-DD' : '';
    const detail = hasFailed ? 'is not the right answer' : `must be the answer of the recipient${form}`;
    return { pointer: '/recipientAnswer', rule, detail };
  }
  const detail = hasFailed ? 'does not match the answer' : 'must be answered by the recipient of the link';
  return { pointer: member, rule, detail };
}

/** Returns what an answer counts for. A pointer begins with a slash, and the id of a question with a letter. */
export function keyOf({ member, question }: Asked): string {
  return member ?? question.id;
}

/** How the answer to a member is compared. Default: as a text. */
const KINDS: Partial<Readonly<Record<RecipientMember, AnswerKind>>> = {
  '/policy/vehicle/licensePlate': 'plate',
  '/policy/holder/phone': 'phone',
};

/**
 * Returns the question of a link: that of the host, or the first member in the setting of the client that the link prefills.
 * Returns undefined if there is none, and for settings that this version does not know.
 */
export function recipientQuestion({ link, client }: LinkWithClient): LinkQuestion | undefined {
  const { policy = {} } = link.config;
  const { recipientCheck } = client.settings ?? {};
  // A newer process may have stored another one.
  if (recipientCheck === undefined || !knowsSettings(client)) return undefined;
  if ('id' in recipientCheck) return { asked: { question: recipientCheck } };
  for (const member of recipientCheck) {
    const expected = VALUES[member](policy) ?? '';
    if (answerLength(expected, KINDS[member]) >= MIN_CHARACTERS) return { asked: { member }, expected };
  }
  return undefined;
}

/** What an answer needs of the service. */
export interface AnswerCalls {
  /** Returns whether the link is known to be locked. */
  isLocked(): Promise<boolean>;
  /** Asks the host whether the answer to its question is right. */
  isRight(answer: string): Promise<boolean>;
  /** Counts a failure of the host. Returns whether it takes no attempt. */
  forgives(): boolean;
}

/** The attempts at one link. */
interface Attempts {
  /** Takes an attempt, as `takeAttempt` of the storage does. */
  take(): Promise<number | undefined>;
  giveBack(): Promise<void>;
}

/**
 * Returns the attempts at a link. Where none is left, `take` asks again for this time: right answers give their attempts back. It
 * returns at once if the link is known to be locked.
 */
function attemptsAt(
  storage: CheckStorage,
  { clientId, accessCodeHash }: LinkRef,
  milliseconds: number,
  isLocked: () => Promise<boolean>,
): Attempts {
  const id = { clientId, accessCodeHash };
  return {
    async take() {
      let longest = FIRST_PAUSE_MS;
      for (let left = milliseconds; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
        const number = await storage.takeAttempt({ ...id, limit: MAX_CHECK_ATTEMPTS });
        if (number !== undefined || left <= 0 || (await isLocked())) return number;
        // Answers that wait for the same attempt must not look at the same time.
        const pause = Math.min(randomInt(longest / 2, longest + 1), left);
        await new Promise((resolve) => setTimeout(resolve, pause));
        left -= pause;
      }
    },
    giveBack: async () => storage.returnAttempt(id),
  };
}

/**
 * Checks the answer to a question.
 * @throws RecipientCheckError without an answer, and for a wrong one; `link_locked` after too many wrong answers, also without
 * an answer if the storage tells the attempts of its links; the error of the host.
 */
export async function checkAnswer(
  storage: CheckStorage,
  { link, checkAttempts = 0 }: LinkWithClient,
  { asked, expected = '' }: LinkQuestion,
  recipientAnswer: string | undefined,
  calls: AnswerCalls,
): Promise<void> {
  const answer = answerTo(asked, recipientAnswer ?? '');
  // No answer is a mistake, not a guess.
  if (answer === undefined && checkAttempts < MAX_CHECK_ATTEMPTS) throw new RecipientCheckError(asked);
  const wait = asked.question ? CHECK_RECIPIENT_SECONDS * 1000 : LOCK_WAIT_MS;
  const attempts = attemptsAt(storage, link, wait, calls.isLocked);
  const number = await attempts.take();
  if (number === undefined) throw new ClaimlinkError('link_locked');
  if (answer === undefined) {
    await attempts.giveBack();
    throw new RecipientCheckError(asked);
  }
  let isRight: boolean;
  try {
    isRight = asked.question
      ? await calls.isRight(answer)
      : isSameAnswer(expected, answer, KINDS[asked.member]);
  } catch (error) {
    if (calls.forgives()) await attempts.giveBack();
    throw error;
  }
  if (isRight) return attempts.giveBack();
  if (number < MAX_CHECK_ATTEMPTS) throw new RecipientCheckError(asked, MAX_CHECK_ATTEMPTS - number);
  // The last attempt is taken, but not each one by a wrong answer.
  const next = await attempts.take();
  if (next === undefined) throw new RecipientCheckError(asked, 0);
  await attempts.giveBack();
  throw new RecipientCheckError(asked, MAX_CHECK_ATTEMPTS + 1 - next);
}

/** Returns the answer to compare, or undefined if there is none. */
function answerTo({ member, question }: Asked, text: string): string | undefined {
  if (question !== undefined) return readAnswer(question, text);
  const answer = text.slice(0, MAX_ANSWER_LENGTH);
  return answerLength(answer, KINDS[member]) === 0 ? undefined : answer;
}
