// Assertions of the contract suite. Messages name what was seen and what was expected, without secrets and bodies.
import { AssertionError } from 'node:assert/strict';
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
  return error instanceof Error && error.name === 'NotApplicableError';
}

/** Where a rule failed: a response, a request without a response, or the name of a place in a response. */
type Place = string | (Pick<TextResponse, 'title' | 'request'> & Partial<TextResponse>);

/** A rule that the deployment does not follow. */
export class RuleError extends AssertionError {
  /** The request, and the place in its response. */
  readonly where: string;
  /** Absent if the failure is not about one request. */
  readonly request: SentRequest | undefined;
  readonly response: Pick<TextResponse, 'status' | 'body'> | undefined;

  constructor(place: Place, seen: string, expected: string) {
    const where = typeof place === 'string' ? place : place.title;
    const message = `${where}: saw ${seen}; expected ${expected}`;
    super({ message, actual: seen, expected, operator: 'contract' });
    this.where = where;
    if (typeof place === 'string') return;
    this.request = place.request;
    const { status, body } = place;
    if (status !== undefined && body !== undefined) this.response = { status, body };
  }
}

/** Throws a RuleError. */
export function fail(place: Place, seen: string, expected: string): never {
  throw new RuleError(place, seen, expected);
}

/** Throws a RuleError unless the condition holds. */
export function expect(holds: boolean, place: Place, seen: string, expected: string): asserts holds {
  if (!holds) fail(place, seen, expected);
}

/** Returns the value if it is a JSON object, otherwise undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
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
  expect(Array.isArray(list), response, kindOf(list), 'a top-level array');
  return list;
}

/** Describes the type of a JSON value, without the value. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'no JSON';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? `an object with ${listed(Object.keys(value))}` : `a ${typeof value}`;
}

/** Joins names for a message. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'no members' : names.join(', ');
}

/** Returns the status, with the code of a problem. Messages may show both of any response. */
export function statusLine(response: TextResponse): string {
  const code = memberOf(response, 'code');
  return typeof code === 'string' ? `${response.status} ${code.slice(0, 60)}` : String(response.status);
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
  return /<([^>]*)>\s*;\s*rel="?next"?/i.exec(header(response, 'link'))?.[1];
}

/** Returns the media type in lower case, without parameters. */
export function mediaType(response: TextResponse): string {
  return (header(response, 'content-type').split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function expectStatus(response: TextResponse, status: number): void {
  expect(response.status === status, response, statusLine(response), String(status));
}

export function expectMediaType(response: TextResponse, type: string): void {
  const seen = header(response, 'content-type') || 'no Content-Type';
  expect(mediaType(response) === type, response, seen, `the content type ${type}`);
}

/** Asserts the status and the code of a problem. */
export function expectProblem(response: TextResponse, status: number, code: string): void {
  expectStatus(response, status);
  const seen = memberOf(response, 'code');
  const shown = typeof seen === 'string' ? `${status} with the code ${seen}` : `${status} without a code`;
  expect(seen === code, response, shown, `${status} with the code ${code}`);
}

/** Returns the pointers and parameters of the errors. Asserts that the status is 400. */
export function errorPlaces(response: TextResponse): string[] {
  expectStatus(response, 400);
  const errors = memberOf(response, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors
    .map((error: unknown) => objectOf(error)?.['pointer'] ?? objectOf(error)?.['parameter'])
    .filter((place) => typeof place === 'string');
}

/** Asserts a 400 whose errors name all of these pointers or parameters. */
export function expectErrorsAt(response: TextResponse, places: readonly string[]): void {
  const seen = errorPlaces(response);
  const expected = `a 400 whose errors name ${places.join(', ')}`;
  const isComplete = places.every((place) => seen.includes(place));
  expect(isComplete, response, `a 400 whose errors name ${seen.join(', ') || 'nothing'}`, expected);
}
