// Checks inputs by the server's rules, before the claim is sent.
import { EMAIL, type FieldPointer, hasPhoneDigits, isCalendarDate, latestIncidentDate } from '../fields.js';
import type { FieldProblem } from '../messages.js';
import {
  type Input,
  inputNamed,
  inputsIn,
  isBlankRow,
  isDateInput,
  isRequired,
  rowAround,
} from './claim-form.js';

const VALID_FROM: FieldPointer = '/policy/validFrom';
const VALID_TO: FieldPointer = '/policy/validTo';

export function problemsIn(element: ParentNode): FieldProblem[] {
  return inputsIn(element).flatMap((input) => {
    const rule = brokenRule(input);
    return rule === undefined ? [] : [{ pointer: input.name, rule }];
  });
}

/** Returns the rule that the value breaks, by the name that the server gives it. */
function brokenRule(input: Input): string | undefined {
  const value = input.value.trim();
  if (input.validity.badInput) return 'format';
  if (!value) return isNeeded(input) ? 'required' : undefined;
  if (input.maxLength > 0 && [...value].length > input.maxLength) return 'maxLength';
  if (input.type === 'email' && !EMAIL.test(value)) return 'email';
  if (input.type === 'tel' && !hasPhoneDigits(value)) return 'phone_digits';
  if (isDateInput(input) && !isCalendarDate(value)) return 'format';
  if (input.name === VALID_TO && value < (inputNamed(VALID_FROM)?.value.trim() ?? '')) {
    return 'date_order';
  }
  return isAfterToday(value, input.getAttribute('max')) ? 'date_future' : undefined;
}

/**
 * Returns whether a date is too late by two clocks: that of the service when it wrote `max` into the page, perhaps days
 * ago, and that of the browser, which may be wrong. If only one says so, the service decides.
 */
function isAfterToday(date: string, max: string | null): boolean {
  return max !== null && date > max && date > latestIncidentDate(new Date());
}

/** A row needs its required members as soon as one of its members has a text. */
function isNeeded(input: Input): boolean {
  const row = input.hasAttribute('data-row-need') && rowAround(input);
  return isRequired(input) || (row instanceof Element && !isBlankRow(row));
}
