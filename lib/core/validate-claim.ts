// The host's own check of a claim: the option `validateClaim`, a function or a Standard Schema.
import { ClaimlinkError, type Problem } from './errors.js';
import { isRecord } from './plain-data.js';
import { withinTime } from './time-limit.js';
import type { AcceptedClaim, Awaitable, OpenLink } from './types.js';
import { escapePointer } from './validators.js';

/** What is wrong with a claim, as `validateClaim` returns it. */
export interface ClaimProblem {
  /**
   * JSON Pointer (RFC 6901) into the claim, such as `/policy/number`; "" is the whole claim. At most 500 UTF-16 code
   * units. The form shows a problem at a pointer that it has no field for in its summary.
   */
  pointer: string;
  /** Name of the rule, one of claimlink or of your own: 1 to 100 UTF-16 code units. */
  rule: string;
  /** The problem as a sentence. The form shows it in the languages that `messages` lacks: 1 to 500 UTF-16 code units. */
  detail: string;
  /** The sentence by BCP 47 tag, as the form shows it: each 1 to 500 UTF-16 code units. */
  messages?: Readonly<Record<string, string>>;
}

/**
 * Checks a claim that claimlink has accepted. Returns nothing or an empty list, or the problems: the first 20 of them
 * become the 400 of the submission. It cannot change the claim.
 */
export type ValidateClaim = (
  claim: AcceptedClaim,
  link: OpenLink,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is allowed
) => Awaitable<void | readonly ClaimProblem[]>;

/** A Standard Schema (standardschema.dev), version 1: what zod, Valibot and ArkType create. Its output is not used. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Checks a value, and says what is wrong with it. */
    readonly validate: (value: unknown) => Awaitable<StandardSchemaResult>;
  };
}

/** Result of a Standard Schema. */
export type StandardSchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardSchemaIssue[] };

/** What is wrong with a value, as a Standard Schema returns it. Its problem has the rule `claim`. */
export interface StandardSchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const MAX_RULE_LENGTH = 100;
const MAX_TEXT_LENGTH = 500;

/** Returns whether a value is a Standard Schema. Some are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const props: unknown = (value as Record<string, unknown> | null | undefined)?.['~standard'];
  return isRecord(props) && props['version'] === 1 && typeof props['validate'] === 'function';
}

/** Returns the problems that the host finds in a claim. @throws `validation_unavailable` if there is no result. */
export type ClaimCheck = (claim: AcceptedClaim, link: OpenLink) => Promise<readonly Problem[]>;

interface CheckOptions {
  validateClaim?: ValidateClaim | StandardSchema;
  validateClaimSeconds: number;
}

/** Creates the check, or returns undefined if the host has none. */
export function createClaimCheck({
  validateClaim,
  validateClaimSeconds,
}: CheckOptions): ClaimCheck | undefined {
  if (validateClaim === undefined) return undefined;
  const check = isStandardSchema(validateClaim)
    ? async (claim: AcceptedClaim) => schemaProblems(await validateClaim['~standard'].validate(claim))
    : async (claim: AcceptedClaim, link: OpenLink) => ownProblems(await validateClaim(claim, link));
  return async (claim, link) => {
    try {
      return await withinTime(
        check(claim, link),
        validateClaimSeconds,
        () => new Error(`validateClaim did not end within ${validateClaimSeconds} s (validateClaimSeconds).`),
      );
    } catch (cause) {
      throw new ClaimlinkError('validation_unavailable', 'validateClaim gave no result; see the cause.', {
        cause,
      });
    }
  };
}

/** Checks what the function of the host returned: it may come from plain JavaScript. */
function ownProblems(result: unknown): readonly Problem[] {
  if (result === undefined) return [];
  if (!Array.isArray(result)) throw notExpected('nothing or a list of problems');
  return result.map((problem: unknown) => {
    if (!isRecord(problem)) throw notExpected('objects in its list');
    const { pointer, rule, detail, messages = {} } = problem;
    if (!isPointer(pointer)) throw notExpected('problems with a `pointer`, a JSON Pointer');
    if (!isText(rule, MAX_RULE_LENGTH)) throw notExpected('problems with a `rule` of 1 to 100 code units');
    if (!isText(detail)) throw notExpected('problems with a `detail` of 1 to 500 code units');
    if (!isMessages(messages)) throw notExpected('`messages` by language, each of 1 to 500 code units');
    return { pointer, rule, detail, messages: { ...messages } };
  });
}

function schemaProblems(result: unknown): readonly Problem[] {
  if (!isRecord(result)) throw notExpected('a result of a Standard Schema');
  const { issues } = result;
  if (issues === undefined && 'value' in result) return [];
  if (!Array.isArray(issues) || issues.length === 0) throw notExpected('a value or a list of issues');
  return issues.map((issue: unknown) => {
    if (!isRecord(issue) || typeof issue['message'] !== 'string') throw notExpected('issues with a message');
    const { message, path = [] } = issue;
    if (!Array.isArray(path)) throw notExpected('issues with a path that is a list');
    const names = path.map((part: unknown) => String(isRecord(part) ? part['key'] : part));
    return {
      pointer: names.map((name) => `/${escapePointer(name)}`).join(''),
      rule: 'claim',
      detail: message.slice(0, MAX_TEXT_LENGTH) || 'is not valid',
      messages: {},
    };
  });
}

function isText(value: unknown, maxLength = MAX_TEXT_LENGTH): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}

function isPointer(value: unknown): value is string {
  return value === '' || (isText(value) && value.startsWith('/'));
}

function isMessages(value: unknown): value is Record<string, string> {
  return isRecord(value) && !Array.isArray(value) && Object.values(value).every((text) => isText(text));
}

function notExpected(expected: string): TypeError {
  return new TypeError(`validateClaim must return ${expected}.`);
}
