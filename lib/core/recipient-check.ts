// The recipient check: what a link asks its recipient, and whether an answer is right.
//
// For the security review. An attempt is reserved in the storage before its answer is compared, so that concurrent guesses
// have MAX_CHECK_ATTEMPTS in all. A right answer returns its attempt; a wrong one never comes back, except by unlockLink. So an
// attempt that is taken may be that of a right answer, for a moment: a link is locked if none comes back for LOCK_WAIT_MS.
// Digests of both texts are compared in constant time. A value with fewer than three characters is not asked: it could be guessed,
// or an answer without any character would be right.
import { randomInt } from 'node:crypto';
import { recipientCheckProblem } from './client-settings.js';
import { ClaimlinkError } from './errors.js';
import { type AnswerKind, answerLength, isSameAnswer } from './same-answer.js';
import type { CheckStorage, LinkRef, LinkWithClient } from './storage.js';
import type { PolicyPrefill, RecipientMember } from './types.js';

/** Number of wrong answers after which a link is locked. */
export const MAX_CHECK_ATTEMPTS = 5;

/** Time in milliseconds in which right answers return their attempts. After it, a link without an attempt is locked. */
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

/** What a link asks its recipient. */
export interface RecipientQuestion {
  /** The member of the prefill that the answer must match. */
  member: RecipientMember;
  /** The value in the prefill: personal data. */
  expected: string;
}

/** Thrown for a link whose recipient has not answered its question. It has no personal data. */
export class RecipientCheckError extends ClaimlinkError {
  /** The member of the prefill that the link asks for. */
  readonly member: RecipientMember;
  /** Number of attempts that are left after a wrong answer. */
  readonly attemptsLeft: number | undefined;

  constructor(member: RecipientMember, attemptsLeft?: number) {
    const hasFailed = attemptsLeft !== undefined;
    const detail = hasFailed ? 'does not match the answer' : 'must be answered by the recipient of the link';
    super(
      hasFailed ? 'recipient_check_failed' : 'recipient_check_required',
      hasFailed ? `The answer does not match. Attempts left: ${attemptsLeft}.` : undefined,
      { problems: [{ pointer: member, rule: 'recipient', detail }] },
    );
    this.member = member;
    this.attemptsLeft = attemptsLeft;
  }
}

/** How the answer to a member is compared. Default: as a text. */
const KINDS: Partial<Readonly<Record<RecipientMember, AnswerKind>>> = {
  '/policy/vehicle/licensePlate': 'plate',
  '/policy/holder/phone': 'phone',
};

/**
 * Returns the question of a link: the first member in the setting of the client that the link prefills. Returns undefined
 * if there is none, and for a setting that this version does not know.
 */
export function recipientQuestion({ link, client }: LinkWithClient): RecipientQuestion | undefined {
  const { policy = {} } = link.config;
  const { recipientCheck } = client.settings ?? {};
  // A newer process may have stored another one.
  if (recipientCheckProblem(recipientCheck) !== undefined) return undefined;
  for (const member of recipientCheck ?? []) {
    const expected = VALUES[member](policy) ?? '';
    if (answerLength(expected, KINDS[member]) >= MIN_CHARACTERS) return { member, expected };
  }
  return undefined;
}

/** The attempts at one link. */
interface Attempts {
  /** Takes an attempt, as `takeAttempt` of the storage does. */
  take(): Promise<number | undefined>;
  giveBack(): Promise<void>;
}

/**
 * Returns the attempts at a link. Where none is left, `take` asks again, until right answers have had the time to give their attempts back.
 * @param isLocked whether the link is known to be locked: then `take` returns at once.
 */
function attemptsAt(
  storage: CheckStorage,
  { clientId, accessCodeHash }: LinkRef,
  isLocked: () => Promise<boolean>,
): Attempts {
  const id = { clientId, accessCodeHash };
  return {
    async take() {
      let longest = FIRST_PAUSE_MS;
      for (let left = LOCK_WAIT_MS; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
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
 * @param isLocked whether the link is known to be locked
 * @throws RecipientCheckError without an answer, and for a wrong one; `link_locked` after too many wrong answers.
 */
export async function checkAnswer(
  storage: CheckStorage,
  { link }: LinkWithClient,
  { member, expected }: RecipientQuestion,
  recipientAnswer: string | undefined,
  isLocked: () => Promise<boolean>,
): Promise<void> {
  const answer = (recipientAnswer ?? '').slice(0, MAX_ANSWER_LENGTH);
  // An empty answer is a mistake, not a guess.
  if (answerLength(answer, KINDS[member]) === 0) throw new RecipientCheckError(member);
  const attempts = attemptsAt(storage, link, isLocked);
  const number = await attempts.take();
  if (number === undefined) throw new ClaimlinkError('link_locked');
  if (isSameAnswer(expected, answer, KINDS[member])) return attempts.giveBack();
  if (number < MAX_CHECK_ATTEMPTS) throw new RecipientCheckError(member, MAX_CHECK_ATTEMPTS - number);
  // The last attempt is taken, but not each one by a wrong answer.
  const next = await attempts.take();
  if (next === undefined) throw new RecipientCheckError(member, 0);
  await attempts.giveBack();
  throw new RecipientCheckError(member, MAX_CHECK_ATTEMPTS + 1 - next);
}
