// The OpenAPI 3.1 document, made from the route table and the schemas.
import type { Route } from './routes.js';

/** An OpenAPI 3.1 document as a plain JSON object. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, object>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

const PARAMETERS: Record<string, object> = {
  clientId: {
    name: 'clientId',
    in: 'path',
    required: true,
    description: "The client's unique ID.",
    schema: { type: 'string', minLength: 1, maxLength: 100 },
  },
  userId: {
    name: 'userId',
    in: 'path',
    required: true,
    description: 'Unique ID of the user whose sessions are listed.',
    schema: { type: 'string', minLength: 1, maxLength: 100 },
  },
  accessCode: { name: 'accessCode', in: 'path', required: true, schema: { type: 'string' } },
};

function queryParameters(operationId: string, maxPageSize: number): object[] {
  if (operationId === 'listSessions') {
    const limit = { type: 'integer', minimum: 1, maximum: maxPageSize, default: maxPageSize };
    return [
      queryParameter('limit', 'Most sessions in the answer.', limit),
      queryParameter('cursor', 'Where to go on: from the Link header of the page before.', {
        type: 'string',
      }),
      queryParameter('status', 'Only sessions of this status.', {
        type: 'string',
        minLength: 1,
        maxLength: 100,
      }),
    ];
  }
  const isPage = operationId === 'openLink' || operationId === 'submitClaim';
  return isPage ? [queryParameter('token', 'The signed token of the link.', { type: 'string' }, true)] : [];
}

const STATUS_TEXT: Record<string, string> = {
  200: 'Done.',
  303: 'Done; go on to the callback.',
  400: 'The request is not valid.',
  401: 'The API key is missing, invalid or unauthorized.',
  404: 'The client, or the link, was not found.',
  410: 'The link has expired, was withdrawn or was used.',
  413: 'The body is too large.',
  414: 'An id is too long.',
  415: 'The content type is not supported.',
  500: 'Unexpected server error.',
  503: 'The service cannot reach its storage; try again after Retry-After.',
};

/** The document for these routes, served at `publicUrl`. */
export function createOpenApiDocument(
  routes: readonly Route[],
  { publicUrl, maxPageSize }: { publicUrl: string; maxPageSize: number },
): OpenApiDocument {
  const schemas: Record<string, object> = {};
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = toOperation(route, schemas, maxPageSize);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Session Listing and Standalone Link API',
      version: '1.0.0',
      description: 'Lists claim-submission sessions and generates standalone access links.',
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    },
  };
}

function toOperation(route: Route, schemas: Record<string, object>, maxPageSize: number): object {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const responses = Object.entries(route.schema.response).map(([status, content]) => [
    status,
    {
      description: STATUS_TEXT[status] ?? status,
      ...(Object.keys(content).length > 0 && { content: toContent(content, schemas) }),
      ...(status === '200' && route.operationId === 'listSessions' && { headers: NEXT_LINK }),
    },
  ]);
  return {
    operationId: route.operationId,
    summary: route.summary,
    parameters: [
      ...names.map((name) => PARAMETERS[name]),
      ...queryParameters(route.operationId, maxPageSize),
    ],
    ...(route.schema.body && {
      requestBody: { required: true, content: toContent(route.schema.body, schemas) },
    }),
    responses: Object.fromEntries(responses),
    security: names.includes('clientId') ? [{ apiKey: [] }] : [],
  };
}

const NEXT_LINK = {
  Link: {
    description: '<...>; rel="next" when there are more sessions (RFC 8288).',
    schema: { type: 'string' },
  },
};

function toContent(byType: Readonly<Record<string, object>>, schemas: Record<string, object>): object {
  return Object.fromEntries(
    Object.entries(byType).map(([type, schema]) => [type, { schema: toRef(schema, schemas) }]),
  );
}

/** Schemas with an `$id` become components; an array's named items too. */
function toRef(schema: object, schemas: Record<string, object>): object {
  if (!('$id' in schema)) return schema;
  const { $id, ...rest } = schema;
  const items =
    'items' in rest && typeof rest.items === 'object' && rest.items !== null ? rest.items : undefined;
  schemas[String($id)] ??= items && '$id' in items ? { ...rest, items: toRef(items, schemas) } : rest;
  return { $ref: `#/components/schemas/${String($id)}` };
}

function queryParameter(name: string, description: string, schema: object, required = false): object {
  return { name, in: 'query', required, description, schema };
}
