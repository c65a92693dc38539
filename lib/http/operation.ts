// What the OpenAPI document says about a route, as data that stands with the route.
import { maxIdLength } from '../core/validators.js';
import { problemSchema } from './response-schemas.js';

/** A parameter of an operation. */
export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: object;
}

/** The body of a request or a response, by media type. */
export type Content = Readonly<Record<string, MediaType>>;

interface MediaType {
  readonly schema: object;
  /** Names of the fixtures that are its examples: `responses/listing`. */
  readonly examples?: readonly string[];
}

interface OperationResponse {
  /** Default: the description of the status. */
  readonly description?: string;
  /** Header objects of OpenAPI, in addition to those of the status. */
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Content;
}

type Responses = Readonly<Record<number, OperationResponse>>;

/** The description of an operation. For documentation only; core validates. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The group of the operation. */
  readonly tag: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly body?: Content;
  /** false: some requests have no body. */
  readonly isBodyRequired?: boolean;
  readonly responses: Responses;
}

/** Describes a parameter. By default, one of the query is optional, and others are required. */
export function parameter(
  place: OpenApiParameter['in'],
  name: string,
  description: string,
  schema: object = { type: 'string' },
  required = place !== 'query',
): OpenApiParameter {
  // No `default`: client generators make a parameter or member with a default required.
  return { name, in: place, required, description, schema };
}

/** The service counts UTF-16 code units. `maxLength` counts code points, and an emoji is one of them but two units. */
export function nameParameter(
  place: OpenApiParameter['in'],
  name: string,
  description: string,
): OpenApiParameter {
  const maxLength = maxIdLength(name);
  const schema = { type: 'string', minLength: 1, maxLength };
  return parameter(place, name, `${description} At most ${maxLength} UTF-16 code units.`, schema);
}

/** Describes a header. */
export function header(description: string, example?: string | number): object {
  const type = typeof example === 'number' ? 'integer' : 'string';
  return { description, required: true, schema: { type }, ...(example !== undefined && { example }) };
}

/** Describes a JSON body. The examples are fixtures of one folder. */
export function json(schema: object, folder = '', ...names: readonly string[]): Content {
  return { 'application/json': { schema, examples: names.map((name) => `${folder}/${name}`) } };
}

/** Describes a page. The examples are fixtures. */
export function page(...names: readonly string[]): Content {
  return { 'text/html': { schema: { type: 'string' }, examples: names.map((name) => `pages/${name}`) } };
}

/** Describes the problems of each status, by the names of their fixtures. `alternative` is the other form of these errors. */
export function problems(
  namesByStatus: Readonly<Record<number, readonly string[]>>,
  alternative: Content = {},
): Responses {
  const responses = Object.entries(namesByStatus).map(([status, names]) => {
    const examples = names.map((name) => `responses/problem-${name}`);
    const content = { ...alternative, 'application/problem+json': { schema: problemSchema, examples } };
    return [status, { content }];
  });
  return Object.fromEntries(responses);
}

/** Problems of every operation. A storage or a limiter of the host responds with 429, and claimlink itself for uploads of photos. */
export const COMMON_PROBLEMS = {
  405: ['method-not-allowed'],
  429: ['too-many-requests'],
  500: ['internal'],
  503: ['storage-unavailable'],
};

/** Problems of an operation with a request body. */
export const BODY_PROBLEMS = {
  408: ['request-timeout'],
  413: ['body-too-large'],
  415: ['content-type-unsupported'],
};
