// Turns unknown input into typed values, or throws request_invalid with everything that is wrong.
import type { ErrorObject } from 'ajv';
import { isWebUrl } from './callback-url.js';
import { createValidator, type ListNode, type SchemaNode, type Validator } from './compiled-schema.js';
import { ClaimlinkError, type ErrorDetail, invalidBody, invalidParameter } from './errors.js';
import { claimSubmissionSchema, linkRequestSchema } from './schemas.js';
import type { ClaimSubmission, LinkedContact, LinkRequest, PolicyPrefill, WidgetConfig } from './types.js';

const linkRequestValidator = createValidator<LinkRequest>(linkRequestSchema);
const claimSubmissionValidator = createValidator<ClaimSubmission>(claimSubmissionSchema);

function webUrlProblem(value: string): string | undefined {
  return isWebUrl(value) ? undefined : 'must be an http or https URL';
}

/** What an id may be: 1 to 100 UTF-16 code units, no control characters, no lone surrogates. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** Why a value is no id or reference, or undefined. */
export function idProblem(value: string): string | undefined {
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
        ...pick(holder, ['id']),
        phone: holder.phone,
        email: holder.email,
      },
      linkedContacts: (policy.linkedContacts ?? []).map(pickContact),
      vehicle: { licensePlate: policy.vehicle.licensePlate },
    },
    ...(incident && { incident: pick(incident, ['date', 'description']) }),
  };
}

function pickContact(contact: LinkedContact): LinkedContact {
  return {
    firstName: contact.firstName,
    lastName: contact.lastName,
    email: contact.email,
    ...pick(contact, ['phone']),
  };
}

function pickConfig(config: WidgetConfig): WidgetConfig {
  return {
    contact: pick(config.contact, ['email', 'phone', 'link']),
    currentUserId: config.currentUserId,
    ...(config.policy && { policy: pickPrefill(config.policy) }),
    ...pick(config, ['initialStepKey', 'privacyPolicyUrl']),
  };
}

function pickPrefill(policy: PolicyPrefill): PolicyPrefill {
  const person = ['firstName', 'lastName', 'email', 'phone'] as const;
  return {
    ...pick(policy, ['provider', 'number', 'validTo', 'validFrom']),
    ...(policy.holder && { holder: pick(policy.holder, person) }),
    ...(policy.vehicle && { vehicle: pick(policy.vehicle, ['licensePlate']) }),
    ...(policy.linkedContacts && {
      linkedContacts: policy.linkedContacts.map((contact) => pick(contact, person)),
    }),
  };
}

/** The named members that are there. */
function pick<T extends object, K extends keyof T>(source: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key];
  return picked as Pick<T, K>;
}

/** Holds a body against its schema and then against further rules, so that all problems are told at once. */
function check<T>(
  { schema, lists, validate }: Validator<T>,
  body: unknown,
  addProblems: (problems: ErrorDetail[]) => void,
): T {
  assertLengths(lists, body);
  const isValid = validate(body);
  const problems = isValid ? [] : (validate.errors ?? []).map(toDetail);
  addProblems(problems);
  if (!isStorable(schema, body)) findUnstorable(schema, body, '', problems);
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

/** Whether `findUnstorable` would find nothing, which is what it nearly always finds. */
function isStorable(schema: SchemaNode, value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  const { items, properties } = schema;
  if (Array.isArray(value)) return items === undefined || value.every((item) => isStorable(items, item));
  for (const name in properties) {
    const child = properties[name];
    if (child !== undefined && !isStorable(child, member(value, name))) return false;
  }
  return true;
}

/**
 * Databases refuse NUL and lone surrogates in text: refused here, they cannot become a 500 there. Looks at the members
 * that the schema knows, since no others are stored.
 */
function findUnstorable(schema: SchemaNode, value: unknown, pointer: string, problems: ErrorDetail[]): void {
  if (typeof value === 'string') {
    const isStorable = !value.includes('\0') && value.isWellFormed();
    if (isStorable || problems.some((problem) => problem.pointer === pointer)) return;
    problems.push({ pointer, detail: 'must not contain NUL characters or lone surrogates' });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { properties = {} } = schema;
      const known = Array.isArray(value) ? schema.items : Object.hasOwn(properties, name) && properties[name];
      if (known) findUnstorable(known, member, `${pointer}/${name}`, problems);
    }
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
