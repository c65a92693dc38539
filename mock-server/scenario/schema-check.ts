// Holds values against the mock's own JSON Schemas: what is wrong and where, in words, never with the value.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { ErrorDetail, ErrorRule } from '../../lib/index.js';
import { nearest } from '../cli/nearest.js';

/** Everything that is wrong with a value, in the order of the schema; empty when nothing is. */
export type Check = (value: unknown) => readonly ErrorDetail[];

let ajv: Ajv | undefined;
const checks = new WeakMap<object, Check>();

/**
 * Everything that is wrong with a value: a JSON Pointer and a sentence without its subject for each problem. The schema
 * is compiled the first time it is used. A `pattern`, an `anyOf` and the like are told by the `description` beside
 * them, a noun phrase: "A date and time …" becomes "must be a date and time …".
 */
export function checkWith(schema: object, value: unknown): readonly ErrorDetail[] {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compileCheck(schema);
    checks.set(schema, check);
  }
  return check(value);
}

/** Compiles a schema (draft-07 and the like) now. @throws an Error for a schema that is none: a bug. */
export function compileCheck(schema: object): Check {
  ajv ??= createAjv();
  // Not registered by its $id: two versions of a schema may live in one process.
  const { $id: _, ...nameless } = schema as { $id?: string };
  const validate: ValidateFunction = ajv.compile(nameless);
  return (value) => (validate(value) ? [] : toDetails(validate.errors ?? []));
}

function createAjv(): Ajv {
  const created = new Ajv({
    strict: true,
    strictRequired: false, // so that `anyOf` may ask for one of several members
    allowUnionTypes: true,
    allErrors: true,
    verbose: true,
  });
  formats.default(created, ['date', 'date-time', 'uri']);
  return created;
}

/** Keywords that try several schemas. What the tries say is of no use to a reader, but for the sum of it. */
const COMBINERS = new Set(['anyOf', 'oneOf', 'not', 'contains', 'propertyNames']);

/** Keywords that only say that another one, which is told as well, has failed. */
const WRAPPERS = new Set(['if']);

function toDetails(errors: readonly ErrorObject[]): ErrorDetail[] {
  const combined = errors.filter(({ keyword }) => COMBINERS.has(keyword));
  const isTry = ({ schemaPath, instancePath }: ErrorObject) =>
    combined.some(
      (whole) => schemaPath.startsWith(`${whole.schemaPath}/`) && instancePath.startsWith(whole.instancePath),
    );
  const details = new Map<string, ErrorDetail>();
  for (const error of errors) {
    if (WRAPPERS.has(error.keyword) || isTry(error)) continue;
    const detail = { pointer: pointerOf(error), rule: ruleOf(error), detail: describe(error) };
    details.set(`${detail.pointer} ${detail.detail}`, detail);
  }
  return [...details.values()];
}

/** Keywords of JSON Schema that are rules under the same name. */
const RULES: readonly ErrorRule[] = [
  'required',
  'type',
  'format',
  'minLength',
  'maxLength',
  'maxItems',
  'minimum',
  'maximum',
];

function ruleOf({ keyword }: ErrorObject): ErrorRule {
  if (keyword === 'additionalProperties') return 'unknown_option';
  return RULES.find((rule) => rule === keyword) ?? 'value';
}

/** A member that is missing or too much is pointed at itself, not its parent. */
function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword === 'required' || keyword === 'dependencies' || keyword === 'dependentRequired')
    return `${instancePath}/${escapePointer(params['missingProperty'])}`;
  if (keyword === 'additionalProperties')
    return `${instancePath}/${escapePointer(params['additionalProperty'])}`;
  if (keyword === 'propertyNames') return `${instancePath}/${escapePointer(params['propertyName'])}`;
  return instancePath;
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date, YYYY-MM-DD',
  'date-time': 'a date and time, such as 2026-01-31T12:00:00Z',
  uri: 'an absolute URL',
};

function describe(error: ErrorObject): string {
  const { keyword, params } = error;
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'dependencies':
    case 'dependentRequired':
      return `is required beside ${params['property']}`;
    case 'additionalProperties':
      return `is not known here${hint(error)}`;
    case 'type':
      return `must be ${[params['type']].flat().join(' or ')}`;
    case 'enum':
      return `must be one of: ${[params['allowedValues']].flat().join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must not be shorter than ${limit} characters`;
    case 'maxLength':
      return `must not be longer than ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit === 1 ? 'one item' : `${limit} items`}`;
    case 'maxItems':
      return `must not have more than ${limit === 1 ? 'one item' : `${limit} items`}`;
    case 'minProperties':
      return `must have at least ${limit === 1 ? 'one member' : `${limit} members`}`;
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'exclusiveMinimum':
      return `must be more than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${params['multipleOf']}`;
    case 'uniqueItems':
      return 'must not have the same item twice';
    case 'format':
      return `must be ${FORMATS[String(params['format'])] ?? `a valid ${params['format']}`}`;
    default:
      return described(error) ?? 'is not valid';
  }
}

/** What the schema's own description says that the value must be. */
function described({ keyword, schema, parentSchema }: ErrorObject): string | undefined {
  const about: unknown = keyword === 'propertyNames' ? schema : parentSchema;
  const description: unknown = Object(about).description;
  if (typeof description !== 'string') return undefined;
  const [first = ''] = description.split(/\.(?:\s|$)/);
  return `must be ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}

/** The member that was meant, when its name is near. */
function hint({ params, parentSchema }: ErrorObject): string {
  const known = Object.keys(Object(parentSchema?.['properties']));
  const found = nearest(String(params['additionalProperty']).slice(0, 100), known);
  return found === undefined ? '' : `; did you mean ${found}?`;
}

function escapePointer(token: unknown): string {
  return String(token).replaceAll('~', '~0').replaceAll('/', '~1');
}
