// Turns unknown input into typed values, or throws request_invalid with everything that is wrong.
import type { ErrorObject } from 'ajv';
import { checkClaimSubmission, checkLinkRequest } from '../generated/validators.js';
import { isWebUrl } from './callback-url.js';
import { createValidator, type ListNode, STORABLE, type Validator } from './compiled-schema.js';
import { ClaimlinkError, type ErrorDetail, invalidBody, invalidParameter } from './errors.js';
import { claimSubmissionSchema, linkRequestSchema } from './schemas.js';
import type {
  ClaimSubmission,
  Incident,
  LinkedContact,
  LinkRequest,
  PolicyPrefill,
  WidgetConfig,
} from './types.js';

const linkRequestValidator = createValidator<LinkRequest>(linkRequestSchema, checkLinkRequest);
const claimSubmissionValidator = createValidator<ClaimSubmission>(
  claimSubmissionSchema,
  checkClaimSubmission,
);

function webUrlProblem(value: string): string | undefined {
  return isWebUrl(value) ? undefined : 'must be an http or https URL';
}

/** What an id may be: 1 to 100 UTF-16 code units, no control characters, no lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** What ids nearly always are. */
const PLAIN_ID = /^[!-~]{1,100}$/;

/** Why a value is no id or reference, or undefined. */
export function idProblem(value: string): string | undefined {
  if (PLAIN_ID.test(value)) return undefined;
  if (value.length === 0) return 'must not be empty';
  if (CONTROL_CHARACTERS.test(value)) return 'must not contain control characters';
  if (!value.isWellFormed()) return 'must not contain lone surrogates';
  if (value.length > MAX_ID_LENGTH) return `must not be longer than ${MAX_ID_LENGTH} characters`;
  return undefined;
}

const MAX_ID_LENGTH = 100;

/**
 * A clientId or userId from a path: percent-decodes the segment once.
 * @throws `request_invalid` for malformed escapes, control characters and lone surrogates, `uri_too_long` over 100.
 */
export function parseIdSegment(segment: string, parameter: string): string {
  let id = segment;
  if (segment.includes('%')) {
    try {
      id = decodeURIComponent(segment);
    } catch {
      throw invalidParameter(parameter, 'has a malformed percent escape');
    }
  }
  return parseId(id, parameter);
}

/** A clientId or userId given by a program. @throws as `parseIdSegment` does. */
export function parseId(id: string, parameter: string): string {
  const problem = idProblem(id);
  if (problem === undefined) return id;
  if (id.length > MAX_ID_LENGTH)
    throw new ClaimlinkError('uri_too_long', `The parameter ${parameter} ${problem}.`);
  throw invalidParameter(parameter, problem);
}

/** A value of the `status` filter. @throws `request_invalid` unless it has 1 to 100 characters, none a control one. */
export function parseStatus(status: string): string {
  const problem = idProblem(status);
  if (problem !== undefined) throw invalidParameter('status', problem);
  return status;
}

/** Names that routes need for themselves: `verify` and everything that starts with `__`. */
export function isReservedClientId(clientId: string): boolean {
  return clientId === 'verify' || clientId.startsWith('__');
}

/** For storages: throws `request_invalid` unless a client may have this id. */
export function assertClientId(clientId: string): void {
  const problem = isReservedClientId(clientId) ? 'is reserved' : idProblem(clientId);
  if (problem !== undefined) throw invalidParameter('clientId', problem);
}

/** What a link request is held against, beside its schema. */
export interface LinkRequestRules {
  /** Why a callback URL is not allowed, or undefined when it is. */
  callbackProblem(callbackUrl: string): string | undefined;
  /** The step keys there are; absent: any. */
  stepKeys?: readonly string[] | undefined;
}

/**
 * The body of a link request, with known members only.
 * @throws `request_invalid` with all problems.
 */
export function parseLinkRequest(
  body: unknown,
  { callbackProblem, stepKeys }: LinkRequestRules,
): LinkRequest {
  const request = check(linkRequestValidator, body, (problems) => {
    const config = member(body, 'config');
    inspect('/callbackUrl', member(body, 'callbackUrl'), problems, callbackProblem);
    inspect('/config/currentUserId', member(config, 'currentUserId'), problems, idProblem);
    inspect('/config/contact/link', member(member(config, 'contact'), 'link'), problems, webUrlProblem);
    inspect('/config/privacyPolicyUrl', member(config, 'privacyPolicyUrl'), problems, webUrlProblem);
    inspect('/config/initialStepKey', member(config, 'initialStepKey'), problems, (key) =>
      stepKeys === undefined || stepKeys.includes(key) ? undefined : `must be one of: ${stepKeys.join(', ')}`,
    );
  });
  return {
    callbackUrl: request.callbackUrl,
    callbackOnSubmit: request.callbackOnSubmit ?? false,
    config: pickConfig(request.config),
  };
}

/**
 * A submitted claim, with known members only.
 * @throws `request_invalid` with all problems.
 */
export function parseClaimSubmission(body: unknown): ClaimSubmission {
  const { policy, incident } = check(claimSubmissionValidator, body, (problems) => {
    const dates = member(body, 'policy');
    inspect('/policy/validFrom', member(dates, 'validFrom'), problems, (validFrom) => {
      inspect('/policy/validTo', member(dates, 'validTo'), problems, (validTo) =>
        validTo < validFrom ? 'must not be before validFrom' : undefined,
      );
      return undefined;
    });
  });
  const { holder } = policy;
  return {
    policy: {
      number: policy.number,
      provider: policy.provider,
      validFrom: policy.validFrom,
      validTo: policy.validTo,
      holder: {
        firstName: holder.firstName,
        lastName: holder.lastName,
        ...(holder.id !== undefined && { id: holder.id }),
        phone: holder.phone,
        email: holder.email,
      },
      linkedContacts: (policy.linkedContacts ?? []).map(pickContact),
      vehicle: { licensePlate: policy.vehicle.licensePlate },
    },
    ...(incident && { incident: pickIncident(incident) }),
  };
}

function pickIncident({ date, description }: Incident): Incident {
  return { ...(date !== undefined && { date }), ...(description !== undefined && { description }) };
}

// What is picked is written out member by member: V8 makes little of names in a loop, and this is done for every link.

function pickContact({ firstName, lastName, email, phone }: LinkedContact): LinkedContact {
  return phone === undefined ? { firstName, lastName, email } : { firstName, lastName, email, phone };
}

function pickConfig(config: WidgetConfig): WidgetConfig {
  const { email, phone, link } = config.contact;
  const picked: WidgetConfig = {
    contact: link === undefined ? { email, phone } : { email, phone, link },
    currentUserId: config.currentUserId,
  };
  if (config.policy !== undefined) picked.policy = pickPrefill(config.policy);
  if (config.initialStepKey !== undefined) picked.initialStepKey = config.initialStepKey;
  if (config.privacyPolicyUrl !== undefined) picked.privacyPolicyUrl = config.privacyPolicyUrl;
  return picked;
}

function pickPrefill(policy: PolicyPrefill): PolicyPrefill {
  const picked: PolicyPrefill = {};
  if (policy.provider !== undefined) picked.provider = policy.provider;
  if (policy.number !== undefined) picked.number = policy.number;
  if (policy.validTo !== undefined) picked.validTo = policy.validTo;
  if (policy.validFrom !== undefined) picked.validFrom = policy.validFrom;
  if (policy.holder !== undefined) picked.holder = pickPerson(policy.holder);
  if (policy.vehicle !== undefined) {
    const { licensePlate } = policy.vehicle;
    picked.vehicle = licensePlate === undefined ? {} : { licensePlate };
  }
  if (policy.linkedContacts !== undefined) picked.linkedContacts = policy.linkedContacts.map(pickPerson);
  return picked;
}

type PersonPrefill = NonNullable<PolicyPrefill['holder']>;

function pickPerson(person: PersonPrefill): PersonPrefill {
  const picked: PersonPrefill = {};
  if (person.firstName !== undefined) picked.firstName = person.firstName;
  if (person.lastName !== undefined) picked.lastName = person.lastName;
  if (person.email !== undefined) picked.email = person.email;
  if (person.phone !== undefined) picked.phone = person.phone;
  return picked;
}

/** Holds a body against its schema and then against further rules, so that all problems are told at once. */
function check<T>(
  { lists, validate }: Validator<T>,
  body: unknown,
  addProblems: (problems: ErrorDetail[]) => void,
): T {
  assertLengths(lists, body);
  const isValid = validate(body);
  const errors = isValid ? [] : (validate.errors ?? []);
  const problems = errors.filter(({ keyword }) => keyword !== STORABLE).map(toDetail);
  addProblems(problems);
  // Told only of what has no other problem: whoever mends that one sends another text.
  for (const error of errors) {
    const isNew = problems.every(({ pointer }) => pointer !== error.instancePath);
    if (error.keyword === STORABLE && isNew) problems.push(toDetail(error));
  }
  if (isValid && problems.length === 0) return body;
  throw invalidBody(problems);
}

/** Applies a rule to a string member, unless it is not there or has a problem already. */
function inspect(
  pointer: string,
  value: unknown,
  problems: ErrorDetail[],
  problemOf: (value: string) => string | undefined,
): void {
  if (typeof value !== 'string' || problems.some((problem) => problem.pointer === pointer)) return;
  const detail = problemOf(value);
  if (detail !== undefined) problems.push({ pointer, detail });
}

/** A member of what need not be an object yet. */
function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name];
}

/** Refuses a list that is too long before every one of its items is looked at, and complained about. */
function assertLengths(lists: readonly ListNode[], body: unknown): void {
  for (const { path, maxItems } of lists) {
    const value = path.reduce(member, body);
    if (!Array.isArray(value) || value.length <= maxItems) continue;
    throw invalidBody([
      { pointer: `/${path.join('/')}`, detail: `must not have more than ${maxItems} items` },
    ]);
  }
}

function toDetail(error: ErrorObject): ErrorDetail {
  if (error.keyword === 'required') {
    return {
      pointer: `${error.instancePath}/${escapePointer(error.params['missingProperty'])}`,
      detail: 'is required',
    };
  }
  return { pointer: error.instancePath, detail: describe(error) };
}

function describe(error: ErrorObject): string {
  switch (error.keyword) {
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must not be longer than ${error.params['limit']} characters`;
    case 'maxItems':
      return `must not have more than ${error.params['limit']} items`;
    case 'pattern':
      return 'must be an e-mail address';
    case 'format':
      return 'must be a date, YYYY-MM-DD';
    case 'type':
      return `must be ${[error.params['type']].flat().join(' or ')}`;
    case STORABLE:
      return 'must not contain NUL characters or lone surrogates';
    case 'minimum':
    case 'maximum':
      return 'must be a safe integer, or a string';
    default:
      return error.message ?? 'is not valid';
  }
}

function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
