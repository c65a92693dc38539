// Checks inputs by the server's rules, before the claim is sent.
import { EMAIL, type FieldPointer, isCalendarDate } from '../fields.js';
import {
  type Input,
  inputNamed,
  inputsIn,
  isBlankRow,
  isDateInput,
  isRequired,
  rowAround,
} from './claim-form.js';

/** A problem, as in the response of the server. */
export interface Problem {
  pointer?: string;
  detail: string;
}

const VALID_FROM: FieldPointer = '/policy/validFrom';
const VALID_TO: FieldPointer = '/policy/validTo';

export function problemsIn(element: ParentNode): Problem[] {
  return inputsIn(element).flatMap((input) => {
    const detail = problemOf(input);
    return detail === undefined ? [] : [{ pointer: input.name, detail }];
  });
}

function problemOf(input: Input): string | undefined {
  const value = input.value.trim();
  if (input.validity.badInput) return 'must be a real date';
  if (!value) return isNeeded(input) ? 'must not be empty' : undefined;
  if (input.maxLength > 0 && [...value].length > input.maxLength) {
    return `must not be longer than ${input.maxLength} characters`;
  }
  if (input.type === 'email' && !EMAIL.test(value)) return 'must be an e-mail address';
  if (isDateInput(input) && !isCalendarDate(value)) return 'must be a real date';
  if (input.name === VALID_TO && value < (inputNamed(VALID_FROM)?.value.trim() ?? '')) {
    return 'must not be before validFrom';
  }
  return undefined;
}

/** A row needs its required members as soon as one of its members has a text. */
function isNeeded(input: Input): boolean {
  const row = input.hasAttribute('data-row-need') && rowAround(input);
  return isRequired(input) || (row instanceof Element && !isBlankRow(row));
}
