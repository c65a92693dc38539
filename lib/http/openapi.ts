// Creates the OpenAPI 3.1 document from the routes and the fixtures.
import { ClaimlinkError } from '../core/errors.js';
import type { EventType, LifeEventType } from '../core/types.js';
import { FIXTURES } from '../generated/examples.js';
import { problemResponse, RETRY_AFTER_SECONDS, toProblem } from './messages.js';
import { type Content, header, json, type OpenApiParameter, type Operation, parameter } from './operation.js';
import {
  lifeWebhookSchema,
  openProblemSchema,
  problemSchema,
  submissionWebhookSchema,
} from './response-schemas.js';
import { allowedMethods, groupByPath, type Route } from './routes.js';

/** An OpenAPI 3.1 document as a plain JSON object. */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  /** The groups of operations that the paths use. */
  tags: { name: string; description: string }[];
  /** Operations by path and method in lower case. */
  paths: Record<string, Record<string, OpenApiOperation>>;
  /** Requests that a host may send, by name and method in lower case. claimlink sends none itself. */
  webhooks: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, object>;
    /** The scheme that operations name. A host can put it into its own document. */
    securitySchemes: { apiKey: { type: 'apiKey'; in: 'header'; name: 'x-api-key'; description: string } };
  };
}

/** An operation of the document. */
export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  /** The group of the operation. */
  tags: string[];
  parameters: OpenApiParameter[];
  requestBody?: { required: boolean; content: Record<string, OpenApiMediaType> };
  responses: Record<
    string,
    { description: string; content?: Record<string, OpenApiMediaType>; headers?: object }
  >;
  /** Empty for the pages, which need no key. */
  security: { apiKey: string[] }[];
}

/** The schema of a body in one media type, with its examples by name. */
export interface OpenApiMediaType {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}

const TAGS: OpenApiDocument['tags'] = [
  { name: 'sessions', description: 'The claim-submission sessions of a user.' },
  { name: 'links', description: 'Links for users without a login.' },
  { name: 'pages', description: 'The pages behind a link.' },
  { name: 'webhooks', description: 'What the service may send to you.' },
];

const WEBHOOK_PARAMETERS = [
  parameter('header', 'webhook-id', 'Identifies the event: the same in every attempt.'),
  parameter('header', 'webhook-timestamp', 'Time of the attempt, in seconds since 1970.'),
  parameter('header', 'webhook-signature', 'Signature of the id, the timestamp and the body.'),
];

/** The request that claimlink/webhooks sends for a submission (standardwebhooks.com). */
const SUBMISSION_WEBHOOK: Operation = {
  operationId: 'claimSubmitted',
  tag: 'webhooks',
  summary: 'Receives a submitted claim',
  description:
    'A service that sends Standard Webhooks sends it for each claim, at least once. Ignore an id that you have handled.',
  parameters: WEBHOOK_PARAMETERS,
  body: json(submissionWebhookSchema, 'webhooks', 'claim-submitted'),
  responses: {
    204: {
      description: 'The claim is handled. The service repeats the request after a response that is not 2xx.',
    },
  },
};

/** What each other kind of event tells. */
const LIFE_SUMMARIES: Readonly<Record<LifeEventType, string>> = {
  'link.started': 'A person has given the first answer.',
  'link.expiring': 'A link that is not used yet ends soon.',
  'link.expired': 'A link has ended without a claim.',
  'link.revoked': 'The host has revoked a link.',
  'link.declined': 'The recipient does not report the claim.',
  'link.renewal_requested': 'The recipient of an expired link asks for another one.',
  'link.locked': 'The recipient has given too many wrong answers.',
  'data.deleted': 'Links and sessions were deleted.',
};

/** The request that claimlink/webhooks sends for another kind of event. */
function lifeWebhook(type: LifeEventType, summary: string): Operation {
  return {
    operationId: type.replaceAll(/[._]([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    tag: 'webhooks',
    summary,
    description:
      'A service whose option events has this kind sends it, at least once. Ignore an id that you have handled.',
    parameters: WEBHOOK_PARAMETERS,
    body: json(lifeWebhookSchema(type), 'webhooks', type.replaceAll(/[._]/g, '-')),
    responses: {
      204: {
        description:
          'The event is handled. The service repeats the request after a response that is not 2xx.',
      },
    },
  };
}

/** The webhooks by their type. */
const WEBHOOKS: readonly (readonly [EventType, Operation])[] = [
  ['claim.submitted', SUBMISSION_WEBHOOK],
  ...Object.entries(LIFE_SUMMARIES).map(
    ([type, summary]) => [type as LifeEventType, lifeWebhook(type as LifeEventType, summary)] as const,
  ),
];

/** Descriptions of responses that do not have their own. */
const STATUS_TEXT: Readonly<Record<string, string>> = {
  200: 'Success.',
  400: 'The request is not valid.',
  401: 'The API key is missing, invalid or unauthorized.',
  403: 'The recipient of the link has not answered its question, or not correctly.',
  404: 'The client or the link does not exist.',
  405: 'The response to other methods than those of the path.',
  408: 'The request body did not arrive in time.',
  409: 'The link has no place for another photo.',
  410: 'The link has expired, was withdrawn, or its claim was submitted.',
  411: 'The request has no Content-Length.',
  413: 'The request body is too large.',
  414: 'An id is too long.',
  415: 'The content type is not supported.',
  422: 'The Idempotency-Key belongs to another request of the client.',
  423: 'The link is locked after too many wrong answers.',
  429: 'There were too many requests. Try again after Retry-After.',
  500: 'Unexpected server error.',
  503: 'The service cannot reach its storage, or another part that it needs. Try again after Retry-After.',
};

/** Headers that a caller acts on. `allow` is the value of `Allow` at the path. */
function headersOf(status: string, allow: string): object | undefined {
  if (status === '401') return { 'WWW-Authenticate': header('The scheme of the API key.', 'ApiKey') };
  if (status === '405') return { Allow: header('The methods of the path.', allow) };
  const retryAfterSeconds = RETRY_AFTER_SECONDS[Number(status)];
  if (retryAfterSeconds === undefined) return undefined;
  return { 'Retry-After': header('Seconds to wait before the next attempt.', retryAfterSeconds) };
}

/** The options of the service that change the document. */
interface DocumentOptions {
  publicUrl: string;
  /** The allowed step keys. Absent: every key is allowed. */
  stepKeys?: readonly string[] | undefined;
  /** Present: its problems name rules of the host. */
  validateClaim?: unknown;
}

/** Returns the document of these routes, served at `publicUrl`. */
export function createOpenApiDocument(
  routes: readonly (Route & Operation)[],
  { publicUrl, stepKeys, validateClaim }: DocumentOptions,
): OpenApiDocument {
  const schemas: Record<string, object> = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const [path, siblings] of groupByPath(routes)) {
    const allow = allowedMethods(siblings).join(', ');
    const operations = siblings.map((route) => [
      route.method.toLowerCase(),
      toOperation(route, schemas, allow, stepKeys),
    ]);
    paths[toOpenApiPath(path)] = Object.fromEntries(operations);
  }
  if (validateClaim !== undefined) schemas[problemSchema.$id] = openProblemSchema();
  const tags = new Set([...routes, SUBMISSION_WEBHOOK].map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Session Listing and Standalone Link API',
      version: '1.0.0',
      description: 'Lists claim-submission sessions and generates standalone access links.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths,
    webhooks: Object.fromEntries(
      WEBHOOKS.map(([type, operation]) => [type, { post: toOperation(operation, schemas) }]),
    ),
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: "The client's API key." },
      },
    },
  };
}

/** Returns the path of a route in the notation of OpenAPI: `/{clientId}/link`. */
export function toOpenApiPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

function toOperation(
  { operationId, summary, description, tag, parameters, body, isBodyRequired = true, responses }: Operation,
  schemas: Record<string, object>,
  allow = '',
  stepKeys?: readonly string[],
): OpenApiOperation {
  const documented = Object.entries(responses).map(([status, response]) => {
    const headers = response.headers ?? headersOf(status, allow);
    return [
      status,
      {
        description: response.description ?? STATUS_TEXT[status],
        ...(headers && { headers }),
        ...(response.content && { content: toContent(response.content, schemas) }),
      },
    ];
  });
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    parameters: [...parameters],
    ...(body && { requestBody: { required: isBodyRequired, content: toContent(body, schemas, stepKeys) } }),
    responses: Object.fromEntries(documented),
    security: parameters.some(({ name }) => name === 'clientId') ? [{ apiKey: [] }] : [],
  };
}

function toContent(
  content: Content,
  schemas: Record<string, object>,
  stepKeys?: readonly string[],
): Record<string, OpenApiMediaType> {
  const documented = Object.entries(content).map(([type, { schema, examples = [] }]) => {
    const named = examples.map((path) => [path.split('/')[1], { value: exampleAt(path, stepKeys) }]);
    return [
      type,
      { schema: toRef(schema, schemas), ...(named.length > 0 && { examples: Object.fromEntries(named) }) },
    ];
  });
  return Object.fromEntries(documented);
}

/** Returns a fixture, without a step key that the host does not allow. A problem has the rest by its code. */
function exampleAt(path: string, stepKeys: readonly string[] | undefined): unknown {
  const [folder = '', name = ''] = path.split('/');
  const fixture = FIXTURES[folder]?.[name];
  const { code = name.slice('problem-'.length).replaceAll('-', '_') } = Object(fixture);
  const example = name.startsWith('problem-')
    ? { ...JSON.parse(problemResponse(toProblem(new ClaimlinkError(code))).body), ...Object(fixture) }
    : fixture;
  if (stepKeys === undefined) return example;
  const isAllowed = (key: string, value: unknown) =>
    key !== 'initialStepKey' || stepKeys.includes(value as string);
  return JSON.parse(JSON.stringify(example, (key, value) => (isAllowed(key, value) ? value : undefined)));
}

/** Schemas with an `$id` become components, and so do the items of an array. */
function toRef(schema: { $id?: string; items?: object }, schemas: Record<string, object>): object {
  const { $id, items, ...rest } = schema;
  if ($id === undefined) return schema;
  schemas[$id] ??= items ? { ...rest, items: toRef(items, schemas) } : rest;
  return { $ref: `#/components/schemas/${$id}` };
}
