// Assertions of the contract suite: each says what was seen and what the contract says, without secrets and bodies.
import { AssertionError } from 'node:assert/strict';
import type { Answer } from './client.js';

/** A rule that says nothing about this deployment; the message is the reason. */
export class NotApplicableError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotApplicableError';
  }
}

/** Whether a case rejected because its rule does not apply, also one from another copy of the package. */
export function isNotApplicable(error: unknown): error is NotApplicableError {
  return error instanceof Error && error.name === 'NotApplicableError';
}

/** Fails: `where` is a request or a place in its answer. */
export function fail(where: string, seen: string, says: string): never {
  const message = `${where}: saw ${seen}; the contract says ${says}`;
  throw new AssertionError({ message, actual: seen, expected: says, operator: 'contract' });
}

/** Fails unless the condition holds. */
export function expect(holds: boolean, where: string, seen: string, says: string): asserts holds {
  if (!holds) fail(where, seen, says);
}

/** A JSON object, or undefined. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}

/** The parsed body, or undefined when it is no JSON. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.body);
  } catch {
    return undefined;
  }
}

/** What kind of JSON value this is, in words; never the value. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing that is JSON';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? `an object with ${listed(Object.keys(value))}` : `a ${typeof value}`;
}

/** Names, to show: `a, b`. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'no members' : names.join(', ');
}

/** Status, and the code where the answer is a problem: what may be shown of any answer. */
export function statusLine(answer: Answer): string {
  const code = objectOf(jsonOf(answer))?.['code'];
  return typeof code === 'string' ? `${answer.status} ${code.slice(0, 60)}` : String(answer.status);
}

/** Whether claimlink's routes answered: with a problem of its own, other than that nothing is there. */
export function isOurProblem(answer: Answer): boolean {
  const type = objectOf(jsonOf(answer))?.['type'];
  const isOurs = typeof type === 'string' && type.startsWith('urn:claimlink:problem:');
  return isOurs && !type.endsWith(':route_not_found');
}

/** A header as it is shown and compared; '' when it is absent. */
export function header(answer: Answer, name: string): string {
  return answer.headers.get(name) ?? '';
}

/** The URL of `Link: <url>; rel="next"` (RFC 8288); undefined without one. */
export function nextTarget(answer: Answer): string | undefined {
  return /<([^>]*)>\s*;\s*rel="?next"?/i.exec(header(answer, 'link'))?.[1];
}

/** The media type, lower case, without parameters. */
export function mediaType(answer: Answer): string {
  return (header(answer, 'content-type').split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function expectStatus(answer: Answer, status: number): void {
  expect(answer.status === status, answer.title, statusLine(answer), String(status));
}

export function expectMediaType(answer: Answer, type: string): void {
  const seen = `the content type ${header(answer, 'content-type') || 'that is absent'}`;
  expect(mediaType(answer) === type, answer.title, seen, type);
}

/** Asserts a status, that the answer is problem JSON, and its code. */
export function expectProblem(answer: Answer, status: number, code: string): void {
  expectStatus(answer, status);
  const seen = objectOf(jsonOf(answer))?.['code'];
  const shown = typeof seen === 'string' ? `${status} with the code ${seen}` : `${status} without a code`;
  expect(seen === code, answer.title, shown, `${status} with the code ${code}`);
}

/** The pointers and parameters that a problem is about; asserts that it is a 400. */
export function placesOf(answer: Answer): string[] {
  expectStatus(answer, 400);
  const errors = objectOf(jsonOf(answer))?.['errors'];
  if (!Array.isArray(errors)) return [];
  return errors
    .map((error: unknown) => objectOf(error)?.['pointer'] ?? objectOf(error)?.['parameter'])
    .filter((place) => typeof place === 'string');
}

/** Asserts a 400 that names every one of these pointers or parameters. */
export function expectPlaces(answer: Answer, places: readonly string[]): void {
  const seen = placesOf(answer);
  const says = `a 400 whose errors name ${places.join(', ')}`;
  const isComplete = places.every((place) => seen.includes(place));
  expect(isComplete, answer.title, `a 400 whose errors name ${seen.join(', ') || 'nothing'}`, says);
}
