// Closed lists of options: every public function checks its options here.
import { invalidOption, invalidOptions, invalidParameter, type RuleProblem } from './errors.js';

/** Returns what is wrong with the value of an option, or undefined. */
export type OptionCheck = (value: unknown) => string | undefined;

/** The options of a function: the check of each one. */
export type OptionChecks<T> = Readonly<Record<keyof T & string, OptionCheck>>;

/** The options of a function: the check of each one, or the names of options that the caller checks afterwards. */
export type AllowedOptions<T> = OptionChecks<T> | readonly (keyof T & string)[];

/** Which options must be set, and where the options are, as a JSON pointer. */
interface OptionsPlace {
  required?: readonly string[];
  pointer?: string;
}

/** Options that are parameters of a call, or that are the members of the parameter `parameter`. */
interface ParameterPlace {
  parameter: string;
  required?: readonly string[];
}

/**
 * Checks options against a closed list.
 * @throws `options_invalid` with every problem; for parameters `request_invalid` with the first one.
 */
export function assertOptions<T extends object>(
  options: T,
  allowed: AllowedOptions<T>,
  place: OptionsPlace | ParameterPlace = {},
): void {
  if (!('parameter' in place)) {
    const problems = optionProblems(options, allowed, place);
    if (problems.length > 0) throw invalidOptions(problems);
    return;
  }
  const { parameter, required = [] } = place;
  const [problem] = optionProblems(options, allowed, { required });
  if (problem === undefined) return;
  const { pointer = '', rule, detail } = problem;
  const path = [parameter, pointer.slice(1)].filter((name) => name !== '');
  throw invalidParameter(path.join('.'), rule, detail);
}

/**
 * Checks a change, which names what it changes. @throws `request_invalid` for a member that is there and undefined: the caller
 * may have meant to remove it, or to set another value.
 */
export function assertDefined(change: object, ...names: string[]): void {
  for (const name of names)
    if (name in change && Reflect.get(change, name) === undefined)
      throw invalidParameter(name, 'value', 'must not be undefined: leave it out');
}

/** Returns every problem of options: a missing one, an unknown one, and a value that its check rejects. */
export function optionProblems<T extends object>(
  options: T,
  allowed: AllowedOptions<T>,
  { required = [], pointer = '' }: OptionsPlace = {},
): RuleProblem[] {
  if (typeof options !== 'object' || options === null)
    return [{ pointer, rule: 'type', detail: 'must be an object' }];
  const checks = isNames(allowed) ? Object.fromEntries(allowed.map((name) => [name, anyValue])) : allowed;
  const problems: RuleProblem[] = [];
  // Also checks inherited members, because the callers read them.
  for (const [name, check] of Object.entries<OptionCheck>(checks)) {
    const value: unknown = options[name as keyof T];
    if (value === undefined && !required.includes(name)) continue;
    const detail = value === undefined ? 'is required' : check(value);
    const rule = value === undefined ? 'required' : 'value';
    if (detail !== undefined) problems.push({ pointer: `${pointer}/${name}`, rule, detail });
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(checks, name)) continue;
    const detail = `is not an option (${nameHint(name, Object.keys(checks))})`;
    problems.push({ pointer: `${pointer}/${name}`, rule: 'unknown_option', detail });
  }
  return problems;
}

function isNames<T>(allowed: AllowedOptions<T>): allowed is readonly (keyof T & string)[] {
  return Array.isArray(allowed);
}

/** Returns a hint for an unknown name: the nearest one, or all if none is near. */
export function nameHint(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `options are: ${names.join(', ')}` : `did you mean ${nearest}?`;
}

/** Returns the name that is nearest to another one, or undefined if none is near. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const distances = names.map((other) => distance(name.toLowerCase(), other.toLowerCase()));
  const least = Math.min(...distances);
  const nearest = names[distances.indexOf(least)] ?? '';
  return least <= nearest.length / 2 ? nearest : undefined;
}

/**
 * Returns how many characters to insert, delete or replace to turn a text into another one (Levenshtein). A text that
 * the other one begins with is near: `bodyTimeout` lacks its unit.
 */
function distance(from: string, to: string): number {
  if (to.startsWith(from) || from.startsWith(to)) return 1;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[column], row[column + 1], row[column]];
      next.push(Math.min(left + 1, above + 1, diagonal + Number(character !== other)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Returns the methods that an object lacks. */
export function missingMethods(value: unknown, names: readonly string[]): string[] {
  return names.filter((name) => typeof (value as Record<string, unknown> | null)?.[name] !== 'function');
}

/** Accepts an object with these methods. */
export function mustHave(...names: string[]): OptionCheck {
  return (value) => {
    const missing = missingMethods(value, names);
    return missing.length === 0
      ? undefined
      : `must have the methods ${names.join(', ')}; it lacks ${missing.join(', ')}`;
  };
}

/** Checks an argument that must have methods. @throws `options_invalid`. */
export function assertMethods(name: string, value: unknown, ...methods: string[]): void {
  const detail = mustHave(...methods)(value);
  if (detail !== undefined) throw invalidOption(`/${name}`, 'value', detail);
}

/** Accepts true and false. */
export function mustBeBoolean(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'must be true or false';
}

/** Accepts a function. */
export function mustBeFunction(value: unknown): string | undefined {
  return typeof value === 'function' ? undefined : 'must be a function';
}

/** Accepts a list. Its entries are checked where they are used. */
export function mustBeList(value: unknown): string | undefined {
  return Array.isArray(value) ? undefined : 'must be a list';
}

/** Accepts every value: another check follows. */
export function anyValue(): undefined {}

/** Accepts a number within a range. */
export function mustBeNumber(minimum: number, maximum: number, description = 'a number'): OptionCheck {
  return (value) =>
    typeof value === 'number' && value >= minimum && value <= maximum
      ? undefined
      : `must be ${description}, ${minimum} to ${maximum}`;
}

/** Accepts a whole number within a range. */
export function mustBeWhole(minimum: number, maximum: number, description = 'a whole number'): OptionCheck {
  const check = mustBeNumber(minimum, maximum, description);
  return (value) => check(Number.isInteger(value) ? value : Number.NaN);
}
