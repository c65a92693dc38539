// Checks inputs by the server's rules, before the claim is sent.
import { CONTACTS_POINTER, EMAIL, hasPhoneDigits, isCalendarDate, visibleText } from '../fields.js';
import type { FieldProblem } from '../messages.js';
import {
  contacts,
  formFields,
  type Input,
  inputNamed,
  inputsIn,
  isDateInput,
  isRequired,
  lengthOf,
  maxLengthOf,
} from './claim-form.js';
import { findAll } from './dom.js';
import { texts } from './texts.js';

const VALID_FROM = '/policy/validFrom';
const VALID_TO = '/policy/validTo';
const INCIDENT_DATE = '/incident/date';

const DAY_MS = 86_400_000;

/** What the service accepted when it wrote the page: tomorrow in UTC, which is today in some zones. */
const latestOfService = inputNamed(INCIDENT_DATE)?.getAttribute('max') ?? '';

export function problemsIn(element: Node & ParentNode): FieldProblem[] {
  const lacksPeople =
    contacts?.hasAttribute('data-required') &&
    element.contains(contacts) &&
    !findAll(contacts, '[data-row]')[0];
  const problems = inputsIn(element).flatMap((input) => {
    const rule = brokenRule(input);
    return rule === undefined ? [] : [{ pointer: input.name, rule }];
  });
  return lacksPeople ? [...problems, { pointer: CONTACTS_POINTER, rule: 'required' }] : problems;
}

/** Returns the rule that the value breaks, by the name that the server gives it. */
function brokenRule(input: Input): string | undefined {
  if (input.type === 'checkbox') return (input as HTMLInputElement).checked ? undefined : 'accepted';
  const visible = visibleText(input.value);
  // Codes are written from left to right.
  const value = input.dir ? visible : input.value.trim();
  // Its parts are not complete, or the calendar has no such day.
  if (input.validity.badInput) return isDateInput(input) ? 'incomplete' : 'time';
  if (!visible) return isRequired(input) ? 'required' : undefined;
  if (maxLengthOf(input) > 0 && lengthOf(input) > maxLengthOf(input)) return 'maxLength';
  if (input.type === 'email' && !EMAIL.test(value)) return 'email';
  if (input.type === 'tel' && !hasPhoneDigits(value)) return 'phone_digits';
  if (isDateInput(input) && !isCalendarDate(value)) return 'format';
  if (input.name === VALID_TO && value < dateOf(VALID_FROM)) {
    return 'date_order';
  }
  return input.name === INCIDENT_DATE && value > latestIncidentDate() ? 'date_future' : undefined;
}

/**
 * Returns today in the zone of the user. If the clock of the browser is behind the service, which no zone explains, only the
 * service can tell.
 */
function latestIncidentDate(): string {
  const now = new Date();
  const today = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  return Date.parse(latestOfService) - Date.parse(today) > 2 * DAY_MS ? latestOfService : today;
}

/** Lets the date picker end with the latest date that the form accepts. */
export function limitIncidentDate(): void {
  inputNamed(INCIDENT_DATE)?.setAttribute('max', latestIncidentDate());
}

/** Returns a text about a value that the service accepts, but that the user may want to check. */
export function warningAbout(input: Input): string | undefined {
  const value = input.value.trim();
  if (!value || brokenRule(input) !== undefined) return undefined;
  const { outsideCover, emailDomain } = texts.script.warnings;
  if (input.type === 'email' && !/@.+\../.test(value)) return emailDomain;
  return input.name === INCIDENT_DATE && isOutsideCover(value) ? outsideCover : undefined;
}

/** Returns a date of the form, also one that the form does not show. */
function dateOf(pointer: string): string {
  return formFields().get(pointer)?.trim() ?? '';
}

function isOutsideCover(date: string): boolean {
  const [from, to] = [dateOf(VALID_FROM), dateOf(VALID_TO)];
  return (isCalendarDate(from) && date < from) || (isCalendarDate(to) && date > to);
}
