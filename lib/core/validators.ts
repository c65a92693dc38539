// Turns unknown input into typed values, or throws request_invalid with every problem.
import { checkClaimSubmission, checkLinkRequest, checkStoredClaim } from '../generated/validators.js';
import { isWebUrl, placeholderProblem } from './callback-url.js';
import {
  ANSWERS_POINTER,
  CLAIM_FIELDS,
  type ClaimField,
  CODE_MEMBERS,
  type FieldShape,
  fieldsOf,
  needOf,
} from './claim-fields.js';
import {
  hasPhoneDigits,
  isTimeOfDay,
  latestIncidentDate,
  visibleText,
  withoutInvisible,
} from './claim-rules.js';
import { answerPointer, answerProblem, choiceProblem, dateProblem, MAX_QUESTIONS } from './client-form.js';
import { isStorableText, isStorableTime } from './cursor.js';
import { ClaimlinkError, invalidBody, invalidParameter, type RuleProblem } from './errors.js';
import { deepFreeze, isDate, isRecord } from './plain-data.js';
import {
  claimSubmissionSchema,
  linkRequestSchema,
  MAX_EXTRA_BYTES,
  MAX_EXTRA_LEVELS,
  MAX_USER_ID_LENGTH,
  STORABLE,
  storedClaimSchema,
} from './schemas.js';
import type {
  AcceptedClaim,
  ClaimPhoto,
  ClaimSubmission,
  ClientForm,
  LinkRequest,
  SessionNotice,
  SessionRecord,
} from './types.js';

function webUrlProblem(value: string): RuleProblem | undefined {
  return isWebUrl(value) ? undefined : { rule: 'url', detail: 'must be an http or https URL' };
}

const MAX_ID_LENGTH = 100;
const UNSTORABLE: RuleProblem = {
  rule: 'text',
  detail: 'must not contain NUL characters or lone surrogates',
};
const EMPTY: RuleProblem = { rule: 'minLength', detail: 'must not be empty' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns the rule that a status or a name breaks: 1 to 100 UTF-16 code units, no control characters, no lone surrogates. */
export function labelProblem(value: unknown, maxLength = MAX_ID_LENGTH): RuleProblem | undefined {
  if (typeof value !== 'string') return { rule: 'type', detail: 'must be text' };
  if (value.length === 0) return EMPTY;
  if (CONTROL_CHARACTERS.test(value))
    return { rule: 'control_characters', detail: 'must not contain control characters' };
  if (!value.isWellFormed()) return { rule: 'text', detail: 'must not contain lone surrogates' };
  if (value.length > maxLength)
    return { rule: 'maxLength', detail: `must not be longer than ${maxLength} UTF-16 code units` };
  return undefined;
}

/** Returns the rule that an id or a reference breaks: those of a status, and it is not `.` or `..`. */
export function idProblem(value: unknown, maxLength = MAX_ID_LENGTH): RuleProblem | undefined {
  // Browsers and URL parsers resolve such path segments, also percent-encoded ones.
  if (value === '.' || value === '..') return { rule: 'id', detail: 'must not be "." or ".."' };
  return labelProblem(value, maxLength);
}

/** Returns the rule that a user id breaks: those of an id, with up to 256 UTF-16 code units. */
export function userIdProblem(value: unknown): RuleProblem | undefined {
  return idProblem(value, MAX_USER_ID_LENGTH);
}

/** Returns the maximum length of the id in a parameter. */
export function maxIdLength(parameter: string): number {
  return parameter === 'userId' ? MAX_USER_ID_LENGTH : MAX_ID_LENGTH;
}

const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Returns the rule that an Idempotency-Key breaks: 1 to 255 printable ASCII characters. */
export function idempotencyKeyProblem(value: unknown): RuleProblem | undefined {
  if (typeof value !== 'string') return { rule: 'type', detail: 'must be text' };
  if (value === '') return EMPTY;
  if (!/^[ -~]+$/.test(value))
    return { rule: 'printable_ascii', detail: 'must have printable ASCII characters only' };
  if (value.length > MAX_IDEMPOTENCY_KEY_LENGTH)
    return { rule: 'maxLength', detail: `must not be longer than ${MAX_IDEMPOTENCY_KEY_LENGTH} characters` };
  return undefined;
}

/** Checks a clientId or userId. @throws `uri_too_long`, `request_invalid`. */
export function parseId(id: string, parameter: string): string {
  const problem = idProblem(id, maxIdLength(parameter));
  if (problem === undefined) return id;
  const { rule, detail } = problem;
  if (rule === 'maxLength') throw new ClaimlinkError('uri_too_long', `The parameter ${parameter} ${detail}.`);
  throw invalidParameter(parameter, rule, detail);
}

/** Checks a value of the `status` filter. @throws `request_invalid`. */
export function parseStatus(status: string): string {
  const problem = labelProblem(status);
  if (problem !== undefined) throw invalidParameter('status', problem.rule, problem.detail);
  return status;
}

const MAX_CURSOR_LENGTH = 2048;

/** Checks page size and cursor of a list and fills in the default. @throws `request_invalid`. */
export function parsePaging(
  { limit, cursor }: { limit?: number; cursor?: string },
  maxPageSize: number,
): { limit: number; cursor?: string } {
  const size = limit ?? maxPageSize;
  if (!Number.isInteger(size) || size < 1 || size > maxPageSize) {
    throw invalidParameter('limit', 'limit', `must be a whole number from 1 to ${maxPageSize}`);
  }
  if (cursor === undefined) return { limit: size };
  const isText = typeof cursor === 'string' && cursor !== '' && cursor.length <= MAX_CURSOR_LENGTH;
  if (!isText || !isStorableText(cursor)) {
    throw invalidParameter('cursor', 'cursor', 'is not a cursor that this service returned');
  }
  return { limit: size, cursor };
}

/** Returns whether a client id is reserved for routes: `verify`, and every id that starts with `__`. */
export function isReservedClientId(clientId: string): boolean {
  return clientId === 'verify' || clientId.startsWith('__');
}

/** Checks the id of a new client. @throws `request_invalid`. */
export function assertClientId(clientId: string): void {
  assertId(clientId, 'clientId');
  if (isReservedClientId(clientId)) throw invalidParameter('clientId', 'reserved_id', 'is reserved');
}

/** Checks an id or a reference of a host. @throws `request_invalid`. */
export function assertId(id: unknown, parameter: string): void {
  const problem = idProblem(id, maxIdLength(parameter));
  if (problem !== undefined) throw invalidParameter(parameter, problem.rule, problem.detail);
}

/** Returns whether a value is a Date that databases store: in the years 1 to 9999. */
export function isStorableDate(time: unknown): time is Date {
  return isDate(time) && !Number.isNaN(time.getTime()) && isStorableTime(time.toISOString());
}

/** Checks a time of a host. @throws `request_invalid`. */
export function assertDate(time: unknown, parameter: string): void {
  if (isStorableDate(time)) return;
  throw invalidParameter(parameter, 'value', 'must be a valid Date in the years 1 to 9999');
}

/** Checks an argument of a host that has members. @throws `request_invalid`. */
export function assertObject(value: unknown, parameter: string): void {
  if (!isRecord(value)) throw invalidParameter(parameter, 'type', 'must be an object');
}

/** Rules of a link request beside its schema. */
export interface LinkRequestRules {
  /** Returns the rule that a callback URL breaks, or undefined if it is allowed. */
  callbackProblem(callbackUrl: string): RuleProblem | undefined;
  /** The allowed step keys. Absent: every key is allowed. */
  stepKeys?: readonly string[] | undefined;
}

/**
 * Parses the body of a link request. The result has known members only.
 * @throws `request_invalid` with every problem, at most 20.
 */
export function parseLinkRequest(
  body: unknown,
  { callbackProblem, stepKeys }: LinkRequestRules,
): LinkRequest {
  return parse(LINK_REQUEST, body, (problems) => {
    const config = member(body, 'config');
    inspect(
      '/callbackUrl',
      member(body, 'callbackUrl'),
      problems,
      (url) => callbackProblem(url) ?? placeholderProblem(url),
    );
    inspect('/config/currentUserId', member(config, 'currentUserId'), problems, userIdProblem);
    inspect('/config/contact/link', member(member(config, 'contact'), 'link'), problems, webUrlProblem);
    inspect('/config/privacyPolicyUrl', member(config, 'privacyPolicyUrl'), problems, webUrlProblem);
    inspectExtra('/config/extra', member(config, 'extra'), problems);
    inspect('/config/initialStepKey', member(config, 'initialStepKey'), problems, (key) =>
      stepKeys === undefined || stepKeys.includes(key)
        ? undefined
        : { rule: 'step_key', detail: `must be one of: ${stepKeys.join(', ')}` },
    );
  });
}

/** Pointer of the confirmation of the privacy policy in a claim. */
const NOTICE_POINTER = '/noticeAccepted';

/** Returns the rule that a phone number of a claim breaks. */
function phoneProblem(phone: string): RuleProblem | undefined {
  return hasPhoneDigits(phone)
    ? undefined
    : { rule: 'phone_digits', detail: 'must have at least three digits' };
}

function timeProblem(time: string): RuleProblem | undefined {
  return isTimeOfDay(time) ? undefined : { rule: 'time', detail: 'must be a time of the day, HH:MM' };
}

/** What a claim may say of photos. */
export interface PhotoRules {
  /** The photos of the link. */
  taken: readonly ClaimPhoto[];
  /** Whether a claim needs a photo. */
  isRequired: boolean;
  /** Whether a claim without a list has all photos of the link. */
  claimsAll: boolean;
}

/** Rules of a claim that depend on its link. */
export interface ClaimRules {
  /** Whether the user must confirm the privacy policy. */
  mustAcceptNotice?: boolean;
  /** Absent: the claim loses its photos. */
  photos?: PhotoRules;
}

/**
 * Parses a submitted claim. The result has known members only, and no text in which nothing can be seen.
 * @param time The current time: an incident cannot be after it.
 * @param form The form of the client.
 * @param rules Rules that depend on the link.
 * @throws `request_invalid` with every problem, at most 20.
 */
export function parseClaimSubmission(
  body: unknown,
  time: Date,
  form: ClientForm = {},
  { mustAcceptNotice = false, photos }: ClaimRules = {},
): AcceptedClaim {
  const latestDate = latestIncidentDate(time);
  assertLengths(CLAIM_SUBMISSION.lists, body);
  assertAnswerCount(body);
  const { value: claim, blanks } = withoutBlanks(claimSubmissionSchema, body);
  const parsed = parse(CLAIM_SUBMISSION, claim, (problems) => {
    for (const problem of problems) {
      if (problem.rule === 'required' && blanks.has(problem.pointer ?? '')) Object.assign(problem, EMPTY);
    }
    inspectExtra('/extra', member(claim, 'extra'), problems);
    if (mustAcceptNotice && member(claim, 'noticeAccepted') !== true && !hasProblem(problems, NOTICE_POINTER))
      problems.push({ pointer: NOTICE_POINTER, rule: 'accepted', detail: 'must be true' });
    const policy = member(claim, 'policy');
    const incident = member(claim, 'incident');
    for (const field of CLAIM_FIELDS) {
      if (needOf(form, field) === 'required') requireAnswer(field, memberAt(claim, field), problems, blanks);
    }
    inspectFields('phone', claim, problems, phoneProblem);
    inspectContacts(member(policy, 'linkedContacts'), form, problems, blanks);
    inspectFields('date', claim, problems, dateProblem);
    inspect('/incident/date', member(incident, 'date'), problems, (date) =>
      date > latestDate ? { rule: 'date_future', detail: 'must not be after today' } : undefined,
    );
    inspectFields('time', claim, problems, timeProblem);
    inspect('/incident/type', member(incident, 'type'), problems, (key) =>
      choiceProblem(form.incidentTypes ?? [], key),
    );
    inspectAnswers(member(incident, 'answers'), form, problems, blanks);
    if (photos) inspectPhotos(member(incident, 'photos'), photos, problems, blanks);
    const validFrom = member(policy, 'validFrom');
    if (typeof validFrom !== 'string' || hasProblem(problems, '/policy/validFrom')) return;
    inspect('/policy/validTo', member(policy, 'validTo'), problems, (validTo) =>
      validTo < validFrom ? { rule: 'date_order', detail: 'must not be before validFrom' } : undefined,
    );
  });
  return withPhotos(parsed, photos);
}

const PHOTOS_POINTER = '/incident/photos';

/** Checks that the link has the photos that a claim names. */
function inspectPhotos(
  named: unknown,
  { taken, isRequired, claimsAll }: PhotoRules,
  problems: RuleProblem[],
  blanks: ReadonlySet<string>,
): void {
  if (isRequired) requireAnswer(PHOTOS_POINTER, named ?? (claimsAll ? taken : []), problems, blanks);
  for (const [index, photo] of Array.isArray(named) ? named.entries() : [])
    inspect(`${PHOTOS_POINTER}/${index}/id`, member(photo, 'id'), problems, (photoId) =>
      taken.some(({ id }) => id === photoId)
        ? undefined
        : { rule: 'unknown_photo', detail: 'is not a photo of the link' },
    );
}

/** Checks that the photos of a session have what the store says in a claim. */
function requirePhotoMembers(photos: unknown, problems: RuleProblem[]): void {
  for (const [index, photo] of Array.isArray(photos) ? photos.entries() : [])
    for (const name of ['type', 'size'])
      if (member(photo, name) === undefined)
        problems.push({
          pointer: `${PHOTOS_POINTER}/${index}/${name}`,
          rule: 'required',
          detail: 'is required',
        });
}

/** Returns a claim with the photos that it has, each once. Their types and sizes are those of the store. */
function withPhotos(claim: ClaimSubmission, rules: PhotoRules | undefined): AcceptedClaim {
  const { photos: named, ...incident } = claim.incident ?? {};
  const photos = rules === undefined ? [] : claimedPhotos(named, rules);
  const { incident: _, ...others } = claim;
  if (named === undefined && photos.length === 0) return claim as AcceptedClaim;
  const withPhotos = { ...incident, ...(photos.length > 0 && { photos }) };
  return deepFreeze({ ...others, ...(Object.keys(withPhotos).length > 0 && { incident: withPhotos }) });
}

function claimedPhotos(
  named: readonly Pick<ClaimPhoto, 'id' | 'name'>[] | undefined,
  { taken, claimsAll }: PhotoRules,
): readonly ClaimPhoto[] {
  if (named === undefined) return claimsAll ? taken : [];
  const names = new Map(named.toReversed().map(({ id, name }) => [id, name]));
  return [...new Set(named.map(({ id }) => id))].flatMap((photoId) => {
    const photo = taken.find(({ id }) => id === photoId);
    const name = names.get(photoId);
    return photo ? [{ ...photo, ...(name !== undefined && { name }) }] : [];
  });
}

/** Returns the member at a pointer of the form. */
function memberAt(value: unknown, pointer: ClaimField): unknown {
  return pointer.slice(1).split('/').reduce(member, value);
}

/** Adds a problem if an answer is absent, unless the place of the answer has a problem already. */
function requireAnswer(
  pointer: string,
  answer: unknown,
  problems: RuleProblem[],
  blanks: ReadonlySet<string>,
): void {
  const isAbsent = answer === undefined || (Array.isArray(answer) && answer.length === 0);
  const isReported = problems.some(({ pointer: place = '' }) => `${pointer}/`.startsWith(`${place}/`));
  if (!isAbsent || isReported) return;
  problems.push({
    pointer,
    ...(blanks.has(pointer) ? EMPTY : { rule: 'required', detail: 'is required' }),
  });
}

/** Checks the fields of a kind. */
function inspectFields(
  kind: FieldShape['kind'],
  claim: unknown,
  problems: RuleProblem[],
  check: (text: string) => RuleProblem | undefined,
): void {
  for (const field of fieldsOf(kind)) inspect(field, memberAt(claim, field), problems, check);
}

function inspectContacts(
  contacts: unknown,
  form: ClientForm,
  problems: RuleProblem[],
  blanks: ReadonlySet<string>,
): void {
  for (const [index, contact] of Array.isArray(contacts) ? contacts.entries() : []) {
    const pointer = `/policy/linkedContacts/${index}`;
    const phone = member(contact, 'phone');
    inspect(`${pointer}/phone`, phone, problems, phoneProblem);
    if (form.contacts === 'email_or_phone' && phone !== undefined) continue;
    requireAnswer(`${pointer}/email`, member(contact, 'email'), problems, blanks);
  }
}

/** Rejects a list of answers that is too long before the schema looks at each of them. */
function assertAnswerCount(body: unknown): void {
  const answers = memberAt(body, ANSWERS_POINTER as ClaimField);
  if (!isRecord(answers) || Object.keys(answers).length <= MAX_QUESTIONS) return;
  const detail = `must not have more than ${MAX_QUESTIONS} members`;
  throw invalidBody([{ pointer: ANSWERS_POINTER, rule: 'maxItems', detail }]);
}

function inspectAnswers(
  answers: unknown,
  { questions = [] }: ClientForm,
  problems: RuleProblem[],
  blanks: ReadonlySet<string>,
): void {
  for (const question of questions) {
    const pointer = answerPointer(question.key);
    const answer =
      isRecord(answers) && Object.hasOwn(answers, question.key) ? answers[question.key] : undefined;
    if (question.required) requireAnswer(pointer, answer, problems, blanks);
    if (answer === undefined || hasProblem(problems, pointer)) continue;
    const problem = answerProblem(question, answer);
    if (problem !== undefined) problems.push({ pointer, ...problem });
  }
  for (const key of isRecord(answers) ? Object.keys(answers) : []) {
    if (questions.some((question) => question.key === key)) continue;
    const pointer = `${ANSWERS_POINTER}/${escapePointer(key)}`;
    problems.push({ pointer, rule: 'unknown_question', detail: 'is not a question of the client' });
  }
}

/** The keywords of a schema that decide which texts may be blank. */
interface BlankNode extends SchemaNode {
  readonly additionalProperties?: unknown;
}

/**
 * Returns a copy with the members that a schema names, without the texts in which nothing can be seen, and the pointers of
 * these texts. Codes lose their invisible characters.
 */
function withoutBlanks(schema: BlankNode, body: unknown): { value: unknown; blanks: ReadonlySet<string> } {
  const blanks = new Set<string>();
  function isBlank(value: unknown, pointer: string): boolean {
    const isEmpty = typeof value === 'string' && visibleText(value) === '';
    if (isEmpty) blanks.add(pointer);
    return isEmpty;
  }
  function copy({ properties, items }: BlankNode, value: unknown, pointer: string): unknown {
    if (items && Array.isArray(value))
      return value.map((item, index) => copy(items, item, `${pointer}/${index}`));
    if (!isRecord(value) || Array.isArray(value)) return value;
    if (pointer === ANSWERS_POINTER)
      return Object.fromEntries(
        Object.entries(value).filter(([key, answer]) => !isBlank(answer, answerPointer(key))),
      );
    if (!properties) return value;
    const members = Object.entries(properties).flatMap(([name, node]) => {
      const inner = member(value, name);
      const place = `${pointer}/${name}`;
      if (inner === undefined || isBlank(inner, place)) return [];
      const isCode = CODE_MEMBERS.has(name) && typeof inner === 'string';
      return [[name, isCode ? withoutInvisible(inner) : copy(node, inner, place)]];
    });
    return Object.fromEntries(members);
  }
  return { value: copy(schema, body, ''), blanks };
}

/**
 * Parses a session that the host adds. The result has known members only.
 * @throws `request_invalid` with every problem of its policy, incident, `extra`, `link` and `notice`, at most 20.
 */
export function parseSession(session: SessionRecord): SessionRecord {
  assertObject(session, 'session');
  assertAnswerCount(session);
  const { clientId, userId, reference, date, camsReference, createdAt } = session;
  for (const [name, id] of Object.entries({ clientId, userId, reference, camsReference })) assertId(id, name);
  for (const [name, time] of Object.entries({ date, createdAt })) assertDate(time, name);
  const { notice, ...claim } = parse(STORED_CLAIM, session, (problems) => {
    inspectExtra('/extra', member(session, 'extra'), problems);
    inspectExtra('/link/extra', member(member(session, 'link'), 'extra'), problems);
    inspectFields('time', session, problems, timeProblem);
    inspect('/notice/url', member(member(session, 'notice'), 'url'), problems, webUrlProblem);
    requirePhotoMembers(member(member(session, 'incident'), 'photos'), problems);
  });
  const at: unknown = session.notice?.at;
  if (notice !== undefined) assertDate(at, 'notice.at');
  const status = parseStatus(session.status);
  return Object.freeze({
    clientId,
    userId,
    reference,
    date,
    camsReference,
    status,
    createdAt,
    ...claim,
    ...(notice && { notice: Object.freeze({ ...notice, at: at as Date }) }),
  });
}

/** A list of a body that has a maximum length. */
interface LimitedList {
  readonly path: readonly string[];
  readonly maxItems: number;
}

/** Returns the lists of a schema with their paths. Ignores lists inside lists. */
function limitedLists(schema: SchemaNode, path: readonly string[] = []): LimitedList[] {
  const { maxItems, properties = {} } = schema;
  const inner = Object.entries(properties).flatMap(([name, node]) => limitedLists(node, [...path, name]));
  return maxItems === undefined ? inner : [{ path, maxItems }, ...inner];
}

/** The keywords of a schema that decide what is copied, and how long its lists may be. */
interface SchemaNode {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly maxItems?: number;
}

/** Copies a valid value. */
type Copy<T> = (value: unknown) => T;

/**
 * Returns a function that copies a valid value with the members that its schema names, at every level, and freezes the
 * copy. The names come from the schema, never from the request, so a request cannot reach a prototype.
 */
function createCopy({ type, properties, items }: SchemaNode): Copy<unknown> {
  if (items) {
    const copyItem = createCopy(items);
    return (list) => Object.freeze((list as unknown[]).map(copyItem));
  }
  // An object without named members is data of the host.
  if (!properties)
    return type === 'object' ? (value) => deepFreeze(JSON.parse(JSON.stringify(value))) : (value) => value;
  const copies = Object.entries(properties).map(([name, node]) => ({ name, copyMember: createCopy(node) }));
  return (value) => {
    const copy: Record<string, unknown> = {};
    for (const { name, copyMember } of copies) {
      const memberValue = member(value, name);
      if (memberValue !== undefined) copy[name] = copyMember(memberValue);
    }
    return Object.freeze(copy);
  };
}

/** An error of the code that ajv compiled from a schema. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** The code that ajv compiled from a schema. After it returned false, `errors` holds the problems. */
export interface Validate<E = SchemaError> {
  (value: unknown): boolean;
  errors?: readonly E[] | null;
}

/** A kind of body. */
interface Body<T> {
  readonly lists: readonly LimitedList[];
  readonly validate: Validate;
  readonly copy: Copy<T>;
}

const LINK_REQUEST: Body<LinkRequest> = {
  lists: limitedLists(linkRequestSchema),
  validate: checkLinkRequest,
  copy: createCopy(linkRequestSchema) as Copy<LinkRequest>,
};

const CLAIM_SUBMISSION: Body<ClaimSubmission> = {
  lists: limitedLists(claimSubmissionSchema),
  validate: checkClaimSubmission,
  copy: createCopy(claimSubmissionSchema) as Copy<ClaimSubmission>,
};

/** The members of a session that hold the claim and the link. */
type StoredClaim = Pick<SessionRecord, 'selectedPolicy' | 'incident' | 'extra' | 'link'> & {
  notice?: Omit<SessionNotice, 'at'>;
};

const STORED_CLAIM: Body<StoredClaim> = {
  lists: limitedLists(storedClaimSchema),
  validate: checkStoredClaim,
  copy: createCopy(storedClaimSchema) as Copy<StoredClaim>,
};

/**
 * Checks a body against its schema and then against further rules. Returns a copy with known members only.
 * @throws `request_invalid` with every problem, at most 20.
 */
function parse<T>(
  { lists, validate, copy }: Body<T>,
  body: unknown,
  addProblems: (problems: RuleProblem[]) => void,
): T {
  assertLengths(lists, body);
  const isValid = validate(body);
  const errors = isValid ? [] : (validate.errors ?? []);
  const problems = errors.filter(({ keyword }) => keyword !== STORABLE).map(toDetail);
  addProblems(problems);
  // The keyword is reported only for a member without another problem.
  for (const error of errors) {
    if (error.keyword === STORABLE && !hasProblem(problems, error.instancePath))
      problems.push(toDetail(error));
  }
  if (isValid && problems.length === 0) return copy(body);
  throw invalidBody(problems);
}

/** Rejects a list that is too long before the schema looks at each of its items. */
function assertLengths(lists: readonly LimitedList[], body: unknown): void {
  for (const { path, maxItems } of lists) {
    const list = path.reduce(member, body);
    if (!Array.isArray(list) || list.length <= maxItems) continue;
    const detail = `must not have more than ${maxItems} items`;
    throw invalidBody([{ pointer: `/${path.join('/')}`, rule: 'maxItems', detail }]);
  }
}

function hasProblem(problems: readonly RuleProblem[], pointer: string): boolean {
  return problems.some((problem) => problem.pointer === pointer);
}

/** Applies a rule to a member that is a string and has no other problem. */
function inspect(
  pointer: string,
  value: unknown,
  problems: RuleProblem[],
  problemOf: (value: string) => RuleProblem | undefined,
): void {
  if (typeof value !== 'string' || hasProblem(problems, pointer)) return;
  const problem = problemOf(value);
  if (problem !== undefined) problems.push({ pointer, ...problem });
}

/** Checks data of the host, which has no schema. */
function inspectExtra(pointer: string, value: unknown, problems: RuleProblem[]): void {
  if (value === undefined || hasProblem(problems, pointer)) return;
  const problem = extraProblem(value);
  if (problem !== undefined) problems.push({ pointer, ...problem });
}

/** JSON.parse changes such numbers without an error. */
const INEXACT = 'must have no integer beyond ±(2^53 - 1) and no number that is too large: send it as text';

/** Returns the rule that data of the host breaks. */
export function extraProblem(value: unknown): RuleProblem | undefined {
  if (!hasLevels(value, MAX_EXTRA_LEVELS)) {
    return { rule: 'size', detail: `must not have more than ${MAX_EXTRA_LEVELS} levels` };
  }
  let isExact = true;
  const json = toJson(value, (number) => {
    isExact &&= Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  });
  if (json === undefined) return { rule: 'json', detail: 'must be JSON' };
  if (!isExact) return { rule: 'json', detail: INEXACT };
  if (Buffer.byteLength(json) > MAX_EXTRA_BYTES) {
    return { rule: 'size', detail: `must not be larger than ${MAX_EXTRA_BYTES} bytes as JSON` };
  }
  // JSON.stringify escapes NUL characters and lone surrogates, and every backslash before them.
  return /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json) ? UNSTORABLE : undefined;
}

/**
 * Returns a value as JSON, or undefined: a host that calls createLink may pass a value that is not JSON.
 * @param onNumber gets each number in it
 */
function toJson(value: unknown, onNumber: (number: number) => void): string | undefined {
  try {
    return JSON.stringify(value, (_, member: unknown) => {
      if (typeof member === 'number') onNumber(member);
      return member;
    });
  } catch {
    return undefined;
  }
}

/** Returns whether a value has at most so many levels of objects and arrays. */
export function hasLevels(value: unknown, levels: number): boolean {
  if (!isRecord(value)) return true;
  return levels > 0 && Object.values(value).every((child) => hasLevels(child, levels - 1));
}

/** Returns a member of an object, or undefined for null and undefined. */
function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[name];
}

function toDetail(error: SchemaError): RuleProblem {
  const { instancePath, keyword, params } = error;
  const pointer =
    keyword === 'required'
      ? `${instancePath}/${escapePointer(String(params['missingProperty']))}`
      : instancePath;
  return { pointer, ...describeError(error) };
}

/** Returns the rule that an error of ajv is about, and a sentence about it. */
export function describeError({ keyword, params, message = 'is not valid' }: SchemaError): RuleProblem {
  switch (keyword) {
    case 'required':
      return { rule: keyword, detail: 'is required' };
    case 'minLength':
      return EMPTY;
    case 'maxLength':
      return { rule: keyword, detail: `must not be longer than ${params['limit']} UTF-16 code units` };
    case 'maxItems':
      return { rule: keyword, detail: `must not have more than ${params['limit']} items` };
    case 'pattern':
      return { rule: 'email', detail: 'must be an e-mail address' };
    case 'format':
      return { rule: keyword, detail: 'must be a date, YYYY-MM-DD' };
    case 'type':
      return { rule: keyword, detail: `must be ${[params['type']].flat().join(' or ')}` };
    case STORABLE:
      return UNSTORABLE;
    case 'minimum':
    case 'maximum':
      return { rule: keyword, detail: 'must be a safe integer, or a string' };
    default:
      return { rule: 'value', detail: message };
  }
}

/** Returns a member name as a token of a JSON pointer (RFC 6901, 3). */
export function escapePointer(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
