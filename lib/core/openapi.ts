// Creates the OpenAPI 3.1 document from the route table, the schemas and the examples.
import { EXAMPLES, type Examples } from './examples.js';
import { RETRY_AFTER_SECONDS } from './http.js';
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
  requestBody?: { required: boolean; content: Record<string, object> };
  responses: Record<string, { description: string; content?: Record<string, object>; headers?: object }>;
  /** Empty for the pages, which need no key. */
  security: { apiKey: string[] }[];
}

/** A parameter of an operation. */
export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  schema: object;
}

const NAME_SCHEMA = { type: 'string', minLength: 1, maxLength: 100 };

const PATH_PARAMETERS: Readonly<Record<string, OpenApiParameter>> = {
  clientId: nameParameter('path', 'clientId', "The client's unique ID.", true),
  userId: nameParameter('path', 'userId', 'Unique ID of the user whose sessions are listed.', true),
  accessCode: parameter('path', 'accessCode', 'The access code of the link.', { type: 'string' }, true),
};

// No `default` here: client generators make a parameter or member with a default required.
function queryParameters(operationId: string, maxPageSize: number): OpenApiParameter[] {
  if (operationId === 'listSessions') {
    return [
      parameter('query', 'limit', `Maximum number of sessions in the response. Default ${maxPageSize}.`, {
        type: 'integer',
        minimum: 1,
        maximum: maxPageSize,
      }),
      parameter('query', 'cursor', 'Position of the next page, from the Link header of the previous page.', {
        type: 'string',
      }),
      nameParameter('query', 'status', 'Only sessions with this status.'),
    ];
  }
  const isPage = operationId === 'openLink' || operationId === 'submitClaim';
  return isPage
    ? [parameter('query', 'token', 'The signed token of the link.', { type: 'string' }, true)]
    : [];
}

function parameter(
  place: OpenApiParameter['in'],
  name: string,
  description: string,
  schema: object,
  required = false,
): OpenApiParameter {
  return { name, in: place, required, description, schema };
}

/** The service counts UTF-16 code units. `maxLength` counts code points, and an emoji is one of them but two units. */
function nameParameter(
  place: OpenApiParameter['in'],
  name: string,
  description: string,
  required = false,
): OpenApiParameter {
  return parameter(place, name, `${description} At most 100 UTF-16 code units.`, NAME_SCHEMA, required);
}

/** Descriptions of the operations, and the names of their groups. */
const OPERATIONS: Readonly<Record<string, { tag: string; description: string }>> = {
  listSessions: {
    tag: 'sessions',
    description: 'The response is an array. If there are more sessions, a Link header names the next page.',
  },
  createLink: {
    tag: 'links',
    description: 'The link opens the claim form in a browser. It expires, and accepts one claim.',
  },
  openLink: {
    tag: 'pages',
    description:
      'Mail scanners may open a link, and users may reload it. An error is a page, or a problem as JSON.',
  },
  submitClaim: {
    tag: 'pages',
    description:
      'The claim creates a session. The response is a redirect to the callback URL, a page or JSON.',
  },
};

const TAG_TEXT: Readonly<Record<string, string>> = {
  sessions: 'The claim-submission sessions of a user.',
  links: 'Links for users without a login.',
  pages: 'The pages behind a link.',
};

function header(description: string, example?: string | number): object {
  const type = typeof example === 'number' ? 'integer' : 'string';
  return { description, required: true, schema: { type }, ...(example !== undefined && { example }) };
}

/** Headers that a caller acts on, by the status of the response. */
const HEADERS: Readonly<Record<string, object>> = {
  303: { Location: header('The callback URL of the link, with its placeholders replaced.') },
  401: { 'WWW-Authenticate': header('The scheme of the API key.', 'ApiKey') },
  503: { 'Retry-After': header('Seconds to wait before the next attempt.', Number(RETRY_AFTER_SECONDS)) },
};

const NEXT_LINK = {
  Link: {
    description: '<...>; rel="next" if there are more sessions (RFC 8288).',
    schema: { type: 'string' },
  },
};

/** Returns the headers of a response. `allow` is the value of `Allow` at its path. */
function headersOf(operationId: string, status: string, allow: string): object | undefined {
  if (status === '200' && operationId === 'listSessions') return NEXT_LINK;
  if (status === '405') return { Allow: header('The methods of the path.', allow) };
  return HEADERS[status];
}

const STATUS_TEXT: Readonly<Record<string, string>> = {
  200: 'Success.',
  303: 'Success. The browser follows the redirect to the callback URL.',
  400: 'The request is not valid.',
  401: 'The API key is missing, invalid or unauthorized.',
  404: 'The client or the link does not exist.',
  405: 'The response to other methods than those of the path.',
  408: 'The request body did not arrive in time.',
  410: 'The link has expired, was withdrawn, or its claim was submitted.',
  413: 'The request body is too large.',
  414: 'An id is too long.',
  415: 'The content type is not supported.',
  500: 'Unexpected server error.',
  503: 'The service cannot reach its storage. Try again after Retry-After.',
};

/** The options of the service that change the document. */
interface DocumentOptions {
  publicUrl: string;
  maxPageSize: number;
  /** The allowed step keys. Absent: every key is allowed. */
  stepKeys?: readonly string[] | undefined;
}

/** Returns the document of these routes, served at `publicUrl`. */
export function createOpenApiDocument(routes: readonly Route[], options: DocumentOptions): OpenApiDocument {
  const schemas: Record<string, object> = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const [path, siblings] of groupByPath(routes)) {
    const allow = allowedMethods(siblings).join(', ');
    const operations = siblings.map((route) => [
      route.method.toLowerCase(),
      toOperation(route, schemas, allow, options),
    ]);
    paths[toOpenApiPath(path)] = Object.fromEntries(operations);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Session Listing and Standalone Link API',
      version: '1.0.0',
      description: 'Lists claim-submission sessions and generates standalone access links.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.publicUrl }],
    tags: tagsOf(routes),
    paths,
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

function tagsOf(routes: readonly Route[]): OpenApiDocument['tags'] {
  const names = new Set(routes.flatMap(({ operationId }) => OPERATIONS[operationId]?.tag ?? []));
  return [...names].map((name) => ({ name, description: TAG_TEXT[name] ?? name }));
}

function toOperation(
  { operationId, summary, path, schema }: Route,
  schemas: Record<string, object>,
  allow: string,
  { maxPageSize, stepKeys }: DocumentOptions,
): OpenApiOperation {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const examples = EXAMPLES[operationId];
  const { tag, description } = OPERATIONS[operationId] ?? {};
  const responses = Object.entries(schema.response).map(([status, byType]) => {
    const headers = headersOf(operationId, status, allow);
    const response = {
      description: STATUS_TEXT[status] ?? status,
      ...(headers && { headers }),
      ...(Object.keys(byType).length > 0 && {
        content: toContent(byType, schemas, examples?.response[Number(status)]),
      }),
    };
    return [status, response];
  });
  return {
    operationId,
    summary,
    description: description ?? summary,
    tags: tag === undefined ? [] : [tag],
    parameters: [
      ...names.flatMap((name) => PATH_PARAMETERS[name] ?? []),
      ...queryParameters(operationId, maxPageSize),
    ],
    ...(schema.body && {
      requestBody: {
        required: true,
        content: toContent(schema.body, schemas, withStepKeys(examples?.body, stepKeys)),
      },
    }),
    responses: Object.fromEntries(responses),
    security: names.includes('clientId') ? [{ apiKey: [] }] : [],
  };
}

/** Removes step keys that the host does not allow from examples. */
function withStepKeys(examples: Examples = {}, stepKeys: readonly string[] | undefined): Examples {
  if (stepKeys === undefined) return examples;
  return JSON.parse(
    JSON.stringify(examples, (name, value) =>
      name === 'initialStepKey' && !stepKeys.includes(value) ? undefined : value,
    ),
  );
}

function toContent(
  byType: Readonly<Record<string, object>>,
  schemas: Record<string, object>,
  examples: Examples = {},
): Record<string, object> {
  return Object.fromEntries(
    Object.entries(byType).map(([type, schema]) => {
      const named = Object.entries(examples[type] ?? {}).map(([name, value]) => [name, { value }]);
      return [
        type,
        {
          schema: toRef(schema, schemas),
          ...(named.length > 0 && { examples: Object.fromEntries(named) }),
        },
      ];
    }),
  );
}

/** Schemas with an `$id` become components, and so do the items of an array. */
function toRef(schema: { $id?: string; items?: object }, schemas: Record<string, object>): object {
  const { $id, items, ...rest } = schema;
  if ($id === undefined) return schema;
  schemas[$id] ??= items ? { ...rest, items: toRef(items, schemas) } : rest;
  return { $ref: `#/components/schemas/${$id}` };
}
