// The recipient check: what a link asks its recipient, and whether an answer is right.
//
// For the security review. An attempt is reserved in the storage before its answer is compared, so that concurrent guesses
// have MAX_CHECK_ATTEMPTS in all. A right answer returns its attempt; a wrong one never comes back, except by unlockLink. Digests
// of both texts are compared in constant time. A value with fewer than three characters is not asked: it could be guessed,
// or an answer without any character would be right.
import { recipientCheckProblem } from './client-settings.js';
import { ClaimlinkError } from './errors.js';
import { type AnswerKind, answerLength, isSameAnswer } from './same-answer.js';
import type { CheckStorage, LinkWithClient } from './storage.js';
import type { PolicyPrefill, RecipientMember } from './types.js';

/** Number of wrong answers after which a link is locked. */
export const MAX_CHECK_ATTEMPTS = 5;

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

/**
 * Checks the answer to a question.
 * @throws RecipientCheckError without an answer, and for a wrong one; `link_locked` after too many wrong answers.
 */
export async function checkAnswer(
  storage: CheckStorage,
  { link: { clientId, accessCodeHash } }: LinkWithClient,
  { member, expected }: RecipientQuestion,
  recipientAnswer: string | undefined,
): Promise<void> {
  const answer = (recipientAnswer ?? '').slice(0, MAX_ANSWER_LENGTH);
  // An empty answer is a mistake, not a guess.
  if (answerLength(answer, KINDS[member]) === 0) throw new RecipientCheckError(member);
  const id = { clientId, accessCodeHash };
  const attempts = await storage.takeAttempt({ ...id, limit: MAX_CHECK_ATTEMPTS });
  if (attempts === undefined) throw new ClaimlinkError('link_locked');
  if (!isSameAnswer(expected, answer, KINDS[member]))
    throw new RecipientCheckError(member, MAX_CHECK_ATTEMPTS - attempts);
  await storage.returnAttempt(id);
}
