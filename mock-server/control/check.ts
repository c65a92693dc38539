// Checks values against the mock's own JSON Schemas and describes each problem, without the value.
import { MAX_PROBLEMS, REQUEST_RULES } from '../../lib/core/errors.js';
import { isRecord } from '../../lib/core/plain-data.js';
import { describeError, escapePointer, type SchemaError, type Validate } from '../../lib/core/validators.js';
import type { ErrorRule, Problem } from '../../lib/index.js';
import { CHECKS } from '../generated/schema-checks.js';
import { LEVELS_DETAIL, MAX_LEVELS } from '../schemas/levels.js';
import { problemAt } from './errors.js';

/** Name of a schema that `npm run generate` compiles. */
export type SchemaName = keyof typeof CHECKS;

/** Returns the problems of a value, at most 20, in the order of the schema. */
export function checkWith(name: SchemaName, value: unknown): readonly Problem[] {
  const excess = excessOf(value);
  if (excess !== undefined) return [problemAt('', 'size', excess)];
  const check: Validate<CheckError> = CHECKS[name];
  return check(value) ? [] : describeErrors(check.errors ?? []);
}

/** More than the links of a snapshot. A wrong member may be several errors. */
const MAX_MEMBERS = 12_000;

/** Returns why a value is not checked. Functions that check, copy or write a value call themselves for each level. */
function excessOf(value: unknown, levels = MAX_LEVELS): string | undefined {
  if (!isRecord(value)) return undefined;
  if (levels === 0) return LEVELS_DETAIL;
  const children = Object.values(value);
  if (children.length > MAX_MEMBERS && !Array.isArray(value))
    return `must not have more than ${MAX_MEMBERS} members in one object`;
  for (const child of children) {
    const excess = excessOf(child, levels - 1);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** An error with its schema and its value, because of `verbose`. */
interface CheckError extends SchemaError {
  readonly schemaPath: string;
  readonly schema?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

/** Keywords with subschemas. Only the keyword itself is reported, not what each subschema says. */
const COMBINERS = new Set(['anyOf', 'oneOf', 'not', 'propertyNames']);

/**
 * Describes the errors of ajv as at most 20 problems. The `description` beside a keyword such as `pattern` is a noun phrase:
 * "A date" becomes "must be a date".
 */
export function describeErrors(errors: readonly CheckError[]): Problem[] {
  const combined = errors.filter(({ keyword }) => COMBINERS.has(keyword));
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    if (problems.size === MAX_PROBLEMS) break;
    const pointer = pointerOf(error);
    // An empty text also violates its format: the first problem of a value is enough.
    if (problems.has(pointer)) continue;
    const isInCombiner = combined.some(
      ({ schemaPath, instancePath }) =>
        error.schemaPath.startsWith(`${schemaPath}/`) && error.instancePath.startsWith(instancePath),
    );
    if (!isInCombiner) problems.set(pointer, problemAt(pointer, ruleOf(error), describe(error)));
  }
  return [...problems.values()];
}

/** Other keywords than those that are names of rules, such as `enum` and `pattern`, break the rule `value`. */
function ruleOf({ keyword }: CheckError): ErrorRule {
  if (keyword === 'additionalProperties') return 'unknown_option';
  return REQUEST_RULES.find((rule) => rule === keyword) ?? 'value';
}

/** A missing or unknown member has a pointer of its own. */
function pointerOf({ instancePath, keyword, params }: CheckError): string {
  const names: Readonly<Record<string, unknown>> = {
    required: params['missingProperty'],
    additionalProperties: params['additionalProperty'],
    propertyNames: params['propertyName'],
  };
  const name = names[keyword];
  if (name === undefined) return instancePath;
  const token = String(name).slice(0, 100).toWellFormed();
  return `${instancePath}/${escapePointer(token)}`;
}

/** Sentences about keywords that the service does not use, or uses for one member. */
const SENTENCES: Readonly<Record<string, (error: CheckError) => string | undefined>> = {
  additionalProperties: ({ parentSchema }) =>
    `is unknown here; known members are ${Object.keys(Object(parentSchema?.['properties'])).join(', ')}`,
  enum: ({ params }) => `must be one of: ${[params['allowedValues']].flat().join(', ')}`,
  minItems: () => 'must have at least one item',
  minProperties: () => 'must have at least one member',
  minimum: ({ params }) => `must be ${params['limit']} or more`,
  maximum: ({ params }) => `must be ${params['limit']} or less`,
  // YAML reads Null, ~ and nothing as null, and yes and on as text.
  type(error) {
    const { type } = error.params;
    if (error.data === null) {
      const advice = type === 'string' ? 'put it in quotes' : 'write a value';
      return `${describedBy(error) ?? describeError(error).detail}, not null: ${advice}, or leave the member out`;
    }
    if (type === 'boolean') return 'must be boolean: write true or false, without quotes';
    return type === 'string' && ['number', 'boolean'].includes(typeof error.data)
      ? 'must be string: put it in quotes'
      : undefined;
  },
};

/** Descriptions of the values of a format, for schemas without a description. */
const FORMAT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'text without control characters, and not "." or ".."',
  text: 'text without NUL and lone surrogates',
};

function describe(error: CheckError): string {
  const format = FORMAT_DESCRIPTIONS[String(error.params['format'])];
  return (
    SENTENCES[error.keyword]?.(error) ??
    describedBy(error) ??
    (format === undefined ? describeError(error).detail : `must be ${format}`)
  );
}

/** Makes a sentence from the description of the schema. */
function describedBy({ keyword, schema, parentSchema }: CheckError): string | undefined {
  const described = keyword === 'propertyNames' ? schema : parentSchema;
  const { description } = Object(described) as { description?: unknown };
  // "All sessions of this user" describes a member, not the values that it may have.
  const isNounPhrase =
    typeof description === 'string' && /^(An?|Milliseconds,|The name|The value) /.test(description);
  if (!isNounPhrase) return undefined;
  return `must be ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
}
