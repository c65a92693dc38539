// Assertions of the contract suite. Messages name what was seen and what was expected, without secrets and bodies.
import { AssertionError } from 'node:assert/strict';
import { isError, isRecord } from '../../core/plain-data.js';
import type { SentRequest, TextResponse, WireSession } from './response.js';

/** Thrown by a rule that does not apply to a deployment; the message is the reason. */
export class NotApplicableError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotApplicableError';
  }
}

/** Returns whether a case rejected because its rule does not apply. Works across copies of the package. */
export function isNotApplicable(error: unknown): error is NotApplicableError {
  return isError(error) && error.name === 'NotApplicableError';
}

/** Where a rule failed: a response, a request without a response, or the name of a place in a response. */
type Place = string | (Pick<TextResponse, 'title' | 'request'> & Partial<TextResponse>);

/** Characters of a text that failures keep. Secrets are searched there: a key that starts in the first 300 is complete. */
export const SEARCHED_LENGTH = 10_000;

/** Returns the start of a text as a copy: a slice would keep the complete text in memory. */
function startOf(text: string): string {
  return Buffer.from(text.slice(0, SEARCHED_LENGTH)).toString();
}

/** A rule that the deployment does not follow. It keeps the start of long texts only. */
export class RuleError extends AssertionError {
  /** The request, and the place in its response. */
  readonly where: string;
  declare readonly actual: string;
  declare readonly expected: string;
  /** Absent if the failure is not about one request. */
  readonly request: SentRequest | undefined;
  readonly response: { readonly status: number; readonly bodyStart: string } | undefined;
  /** true: the run reached one of its limits, and sends nothing more. */
  readonly endsRun: boolean;

  constructor(place: Place, actual: string, expected: string, { endsRun = false } = {}) {
    const where = startOf(typeof place === 'string' ? place : place.title);
    const texts = { actual: startOf(actual), expected: startOf(expected) };
    const message = `${where}: saw ${texts.actual}; expected ${texts.expected}`;
    super({ message, ...texts, operator: 'contract' });
    this.where = where;
    this.endsRun = endsRun;
    if (typeof place === 'string') return;
    this.request = place.request;
    const { status, body } = place;
    if (status !== undefined && body !== undefined) this.response = { status, bodyStart: startOf(body) };
  }
}

/** Throws a RuleError. */
export function fail(place: Place, actual: string, expected: string): never {
  throw new RuleError(place, actual, expected);
}

/** Throws a RuleError unless the condition holds. */
export function expect(holds: boolean, place: Place, actual: string, expected: string): asserts holds {
  if (!holds) fail(place, actual, expected);
}

/** Returns the value if it is a JSON object, otherwise undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) && !Array.isArray(value) ? value : undefined;
}

/** Returns the parsed body, or undefined if it is not JSON. */
export function jsonOf(response: TextResponse): unknown {
  try {
    return JSON.parse(response.body);
  } catch {
    return undefined;
  }
}

/** Returns a member of the JSON object in the body, or undefined. */
export function memberOf(response: TextResponse, name: string): unknown {
  return objectOf(jsonOf(response))?.[name];
}

/** Returns the body. Asserts that it is a JSON array. */
export function expectArray(response: TextResponse): WireSession[] {
  const list = jsonOf(response);
  expect(Array.isArray(list), response, statusLine(response), 'a top-level array');
  return list;
}

/** Describes a JSON value: its type, the names and types of its members, never a value. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array that starts with ${typeName(value[0])}`;
  const object = objectOf(value);
  if (object === undefined) return typeName(value);
  return `an object with ${listed(Object.keys(object).map((name) => `${name} (${typeName(object[name])})`))}`;
}

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Maximum number of names in a message. */
const MAX_NAMES = 12;

/** Joins names for a message. */
export function listed(names: readonly string[]): string {
  const others = names.length - MAX_NAMES;
  if (others > 0) return `${names.slice(0, MAX_NAMES).join(', ')} and ${others} others`;
  return names.length === 0 ? 'no members' : names.join(', ');
}

/** Describes a body: the kind of its JSON, or its media type. */
export function bodyKind(response: TextResponse): string {
  if (response.body === '') return 'no body';
  const value = jsonOf(response);
  return value === undefined ? `no JSON (${mediaType(response) || 'no content type'})` : kindOf(value);
}

/** Returns the status, with the code of a problem or the kind of the body. Messages may show both of any response. */
export function statusLine(response: TextResponse): string {
  const code = memberOf(response, 'code');
  return `${response.status} ${typeof code === 'string' ? code : `with ${bodyKind(response)}`}`;
}

/** Returns whether a route of claimlink sent the response: a claimlink problem other than route_not_found. */
export function isOurProblem(response: TextResponse): boolean {
  const type = memberOf(response, 'type');
  const isOurs = typeof type === 'string' && type.startsWith('urn:claimlink:problem:');
  return isOurs && !type.endsWith(':route_not_found');
}

/** Returns a header, or '' if it is absent. */
export function header(response: TextResponse, name: string): string {
  return response.headers.get(name) ?? '';
}

/** Returns the URL of `Link: <url>; rel="next"` (RFC 8288), or undefined. */
export function nextTarget(response: TextResponse): string | undefined {
  // `<` is excluded, so that each text is scanned once.
  return /<([^<>]*)>\s*;\s*rel="?next"?/i.exec(header(response, 'link'))?.[1];
}

/** Returns the media type in lower case, without parameters. */
export function mediaType(response: TextResponse): string {
  return (header(response, 'content-type').split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function expectStatus(response: TextResponse, status: number): void {
  expect(response.status === status, response, statusLine(response), String(status));
}

/** Asserts a status that the contract leaves open: any success. */
export function expectSuccess(response: TextResponse): void {
  const isSuccess = response.status >= 200 && response.status < 300;
  expect(isSuccess, response, statusLine(response), 'a success, such as 200');
}

/** Asserts a status that the contract leaves open: any error of the caller. Names the one of claimlink. */
export function expectRejection(response: TextResponse, example: number): void {
  const isRejection = response.status >= 400 && response.status < 500;
  expect(isRejection, response, statusLine(response), `a status from 400 to 499, such as ${example}`);
}

export function expectMediaType(response: TextResponse, type: string): void {
  const actual = header(response, 'content-type') || 'no Content-Type';
  expect(mediaType(response) === type, response, actual, `the content type ${type}`);
}

/** Asserts the status and the code of a problem. */
export function expectProblem(response: TextResponse, status: number, code: string): void {
  expectStatus(response, status);
  const isSame = memberOf(response, 'code') === code;
  expect(isSame, response, statusLine(response), `${status} with the code ${code}`);
}

/** Returns the pointers and parameters of the errors, or an empty array. */
export function errorPlaces(response: TextResponse): string[] {
  const errors = memberOf(response, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors
    .map((error: unknown) => objectOf(error)?.['pointer'] ?? objectOf(error)?.['parameter'])
    .filter((place) => typeof place === 'string');
}

/** Asserts a 400 whose errors name all of these pointers or parameters. */
export function expectErrorsAt(response: TextResponse, places: readonly string[]): void {
  const expected = `a 400 whose errors name ${places.join(', ')}`;
  expect(response.status === 400, response, statusLine(response), expected);
  const actual = errorPlaces(response);
  const isComplete = places.every((place) => actual.includes(place));
  const names = actual.length > 0 ? `whose errors name ${listed(actual)}` : `with ${bodyKind(response)}`;
  expect(isComplete, response, `a 400 ${names}`, expected);
}
