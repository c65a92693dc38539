// The OpenAPI document: valid, complete, and equal to the error table, the responses and the fixtures.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import t from 'tap';
import type { Claimlink } from '../../lib/claimlink.js';
import { ClaimlinkError, ERRORS, type ErrorCode, REQUEST_RULES } from '../../lib/core/errors.js';
import type { claimSubmissionSchema, linkRequestSchema } from '../../lib/core/schemas.js';
import type { Storage } from '../../lib/core/storage.js';
import type { CoreResponse } from '../../lib/http/messages.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import type { MemoryStorage } from '../../lib/storage/memory.js';
import { claim, createWorld, linkRequest, PUBLIC_URL, storedSession, type World } from '../core/world.js';

const { claimlink } = await createWorld({ photos: { store: createMemoryPhotoStore() } });
const document = claimlink.openapi;
const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ path, method, ...operation })),
);
const operation = (operationId: string) =>
  operations.find((candidate) => candidate.operationId === operationId);
const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));

t.test('the document is valid OpenAPI 3.1', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  t.ok(valid, 'valid', { errors });
  t.equal(document.openapi, '3.1.0');
  t.strictSame(document.servers, [{ url: PUBLIC_URL }]);
});

t.test('the document is plain JSON', async (t) => {
  t.strictSame(JSON.parse(JSON.stringify(document)), document);
});

t.test('the document is created when it is first read, once', async (t) => {
  const { claimlink: service } = await createWorld();
  t.equal(Object.getOwnPropertyDescriptor(service, 'openapi')?.value, undefined, 'a getter');
  t.equal(service.openapi, service.openapi);
  t.ok(Object.isFrozen(service.openapi.paths));
});

t.test('the document has an operation for every route, and no others', async (t) => {
  t.strictSame(
    operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
    claimlink.routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).sort(),
  );
});

t.test('every path parameter of an operation is declared as required', async (t) => {
  for (const { path, parameters } of operations) {
    const declared = parameters.filter((parameter) => parameter.in === 'path' && parameter.required);
    t.strictSame(
      declared.map(({ name }) => `{${name}}`),
      path.match(/\{\w+\}/g),
    );
  }
});

t.test('every request body is required, but that of a photo: its removal has none', async (t) => {
  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    requestBody ? [[operationId, requestBody.required]] : [],
  );
  t.strictSame(Object.fromEntries(bodies), {
    createLink: true,
    submitClaim: true,
    sendPhoto: false,
  });
});

t.test('the parameter limit is 1 to maxPageSize', async (t) => {
  const { claimlink: small } = await createWorld({ maxPageSize: 7 });
  const { parameters = [] } = small.openapi.paths['/{clientId}/sessions/{userId}']?.['get'] ?? {};
  const limit = parameters.find(({ name }) => name === 'limit');
  t.strictSame(limit?.schema, { type: 'integer', minimum: 1, maximum: 7 });
});

t.test('both endpoints require the API key, the pages do not', async (t) => {
  t.strictSame(operation('listSessions')?.security, [{ apiKey: [] }]);
  t.strictSame(operation('createLink')?.security, [{ apiKey: [] }]);
  t.strictSame(operation('openLink')?.security, []);
});

/** Codes that no response to an operation has, with the reason. */
const UNREACHABLE: Partial<Record<ErrorCode, string>> = {
  already_exists: 'only provisioning throws it, and provisioning has no HTTP endpoint',
  options_invalid: 'only factories throw it',
};

for (const code of Object.keys(ERRORS) as ErrorCode[]) {
  const reason = UNREACHABLE[code];
  const [status] = ERRORS[code];
  t.test(
    reason
      ? `${code} is not in the document: ${reason}`
      : `the status of ${code}, ${status}, is in the document`,
    async (t) => {
      t.ok(reason ?? statuses.has(String(status)));
    },
  );
}

t.test('responses are valid against their schemas', async (t) => {
  const world = await createWorld();
  await world.storage.insertSession({ clientId: 'acme', userId: 'user-1', ...storedSession() });
  const linkResponse = await world.requestLink(linkRequest());
  const link = await world.mint();
  const responses = {
    SessionList: await world.list(),
    LinkResponse: linkResponse,
    SubmissionResponse: await world.submitJson(link, claim()),
    Problem: await world.requestLink({}),
  };
  const ajv = new Ajv({ strict: false });
  ajv.addSchema(structuredClone(document) as object, 'openapi');
  for (const [schema, { body }] of Object.entries(responses)) {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${schema}` });
    t.ok(validate(JSON.parse(body)), schema, { errors: validate.errors });
  }
});

/** Headers that the document does not list: they are for browsers and caches, or belong to the body. */
const GENERAL_HEADERS = [
  'cache-control',
  'content-language',
  'content-length',
  'content-security-policy',
  'content-type',
  'referrer-policy',
  'x-content-type-options',
  'x-robots-tag',
];

interface Header {
  required?: boolean;
  schema: object;
  example?: unknown;
}

const LISTING = '/acme/sessions/user-1';
const JSON_ACCEPT = { headers: { accept: 'application/json' } };

/** Requests whose responses have headers of their own, or none. */
const HEADER_CASES: readonly [
  operationId: string,
  status: number,
  send: (world: World) => Promise<CoreResponse>,
][] = [
  ['listSessions', 200, ({ list }) => list('?limit=1')],
  ['listSessions', 200, ({ list }) => list('?limit=2')],
  ['listSessions', 401, ({ send }) => send('GET', LISTING)],
  ['listSessions', 405, ({ send }) => send('PUT', LISTING)],
  ['listSessions', 503, ({ list }) => list('?status=unreachable')],
  ['createLink', 200, ({ requestLink }) => requestLink(linkRequest())],
  ['createLink', 401, ({ send }) => send('POST', '/acme/link')],
  ['createLink', 405, ({ send }) => send('GET', '/acme/link')],
  ['openLink', 200, async ({ mint, open }) => open(await mint())],
  ['openLink', 404, ({ send }) => send('GET', '/verify/code')],
  ['openLink', 405, ({ send }) => send('PUT', '/verify/code')],
  ['submitClaim', 405, ({ send }) => send('PUT', '/verify/code', JSON_ACCEPT)],
  ['submitClaim', 303, async ({ mint, submitForm }) => submitForm(await mint({ callbackOnSubmit: true }))],
  [
    'submitClaim',
    503,
    async ({ mint, submitForm }) => submitForm(await mint(), claim({ extra: { fail: true } })),
  ],
  [
    'submitClaim',
    503,
    async ({ mint, submitJson }) => submitJson(await mint(), claim({ extra: { fail: true } })),
  ],
];

/** A storage that cannot be reached for a listing by status, and for a claim with `extra`. */
const unreachable = (storage: MemoryStorage): Storage => ({
  ...storage,
  listSessions(query) {
    if (query.status === undefined) return storage.listSessions(query);
    throw new ClaimlinkError('storage_unavailable');
  },
  submitLink(submission) {
    if (submission.session.extra === undefined) return storage.submitLink(submission);
    throw new ClaimlinkError('storage_unavailable');
  },
});

for (const [index, [operationId, status, send]] of HEADER_CASES.entries()) {
  t.test(`the document has the headers of response ${status} to ${operationId} (${index})`, async (t) => {
    const world = await createWorld({ wrapStorage: unreachable });
    for (const reference of ['S-1', 'S-2'])
      await world.storage.insertSession({
        clientId: 'acme',
        userId: 'user-1',
        ...storedSession({ reference }),
      });
    const response = await send(world);
    t.equal(response.status, status);
    const headers = (operation(operationId)?.responses[status]?.headers ?? {}) as Record<string, Header>;
    const documented = Object.entries(headers).map(([name, header]) => ({
      name: name.toLowerCase(),
      ...header,
    }));
    const names = documented.map(({ name }) => name);
    const undocumented = Object.keys(response.headers).filter(
      (name) => !GENERAL_HEADERS.includes(name) && !names.includes(name),
    );
    t.strictSame(undocumented, [], 'every header of the response is documented');
    for (const { name, required = false, schema, example } of documented) {
      const value = response.headers[name];
      t.ok(value !== undefined || !required, `${name} is present`);
      if (example !== undefined) {
        t.equal(value, String(example), `${name} is the example`);
        t.ok(new Ajv().validate(schema, example), 'the example is valid');
      }
    }
  });
}

t.test('responses that have headers of their own list them', async (t) => {
  const listed = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, { headers = {} }]) =>
      Object.keys(headers).map((name) => `${operationId} ${status} ${name}`),
    ),
  );
  const ofAll = (operationId: string) =>
    ['405 Allow', '429 Retry-After', '503 Retry-After'].map((header) => `${operationId} ${header}`);
  t.strictSame(
    listed.toSorted(),
    [
      'listSessions 200 Link',
      'listSessions 401 WWW-Authenticate',
      'createLink 401 WWW-Authenticate',
      'submitClaim 200 Set-Cookie',
      'submitClaim 303 Location',
      'submitClaim 303 Set-Cookie',
      'readPhoto 200 Content-Disposition',
      'readPhoto 200 Cross-Origin-Resource-Policy',
      ...operations.flatMap(({ operationId }) => ofAll(operationId)),
    ].toSorted(),
  );
});

function initialStepKeyIn({ openapi }: Claimlink): object | undefined {
  const { properties } = openapi.components.schemas['LinkRequest'] as typeof linkRequestSchema;
  return properties.config.properties.initialStepKey;
}

t.test('with stepKeys, initialStepKey is one of them, and the examples use no other', async (t) => {
  t.strictSame(initialStepKeyIn(claimlink), { type: 'string', minLength: 1, maxLength: 100 });
  for (const [stepKeys, isShown] of [
    [['policy', 'incident'], true],
    [['one', 'two', 'one'], false],
  ] as const) {
    const { claimlink: limited } = await createWorld({ stepKeys });
    t.match(initialStepKeyIn(limited), { enum: [...new Set(stepKeys)] });
    t.ok((await new Validator().validate(structuredClone(limited.openapi) as never)).valid);
    const ajv = new Ajv({ strict: false });
    ajv.addSchema(structuredClone(limited.openapi) as object, 'limited');
    const validate = ajv.compile({ $ref: 'limited#/components/schemas/LinkRequest' });
    const { requestBody } = limited.openapi.paths['/{clientId}/link']?.['post'] ?? {};
    const examples = examplesOf('link request', requestBody?.content);
    t.equal(examples.length, 2);
    for (const { title, value } of examples) t.ok(validate(value), title, { errors: validate.errors });
    t.equal(JSON.stringify(examples).includes('"initialStepKey"'), isShown);
  }
});

t.test('ids and the status name the unit of their maximum length', async (t) => {
  const { properties } = document.components.schemas['LinkRequest'] as typeof linkRequestSchema;
  const { parameters = [] } = operation('listSessions') ?? {};
  const descriptions = [
    properties.config.properties.currentUserId.description,
    ...parameters.filter(({ schema }) => 'maxLength' in schema).map(({ description }) => description),
  ];
  const maxima = descriptions.map((text) => /at most (\d+) UTF-16 code units\.$/i.exec(text)?.[1]);
  t.strictSame(maxima, ['256', '100', '256', '100']);
});

t.test(
  'a phone number of a claim has three digits, and the form of the client decides who needs one',
  async (t) => {
    const { properties } = document.components.schemas['ClaimSubmission'] as typeof claimSubmissionSchema;
    const { holder, linkedContacts } = properties.policy.properties;
    t.equal(
      holder.properties.phone.description,
      'At least three digits. Required, unless the form of the client says otherwise.',
    );
    t.equal(linkedContacts.items.properties.phone.description, 'At least three digits.');
  },
);

t.test('no schema has a default, which generators turn into a required member', async (t) => {
  t.notMatch(JSON.stringify(document), '"default":');
});

t.test('with validateClaim, a problem may name a rule of the host', async (t) => {
  const world = await createWorld({ validateClaim: () => [] });
  const { properties } = world.claimlink.openapi.components.schemas['Problem'] as {
    properties: { errors: { items: { required: string[]; properties: { rule: object; messages: object } } } };
  };
  const { required, properties: members } = properties.errors.items;
  t.match(members.rule, { type: 'string', examples: REQUEST_RULES, enum: undefined });
  t.match(members.messages, { type: 'object', additionalProperties: { type: 'string' } });
  t.strictSame(required, ['rule', 'detail']);
});

t.test('code and rule of a problem are closed lists', async (t) => {
  const { properties } = document.components.schemas['Problem'] as {
    properties: {
      code: { enum: string[] };
      errors: { maxItems: number; items: { required: string[]; properties: { rule: { enum: string[] } } } };
    };
  };
  const hidden = ['already_exists', 'body_consumed', 'options_invalid', 'schema_mismatch'];
  t.strictSame(
    [...properties.code.enum, ...hidden].toSorted(),
    Object.keys(ERRORS).toSorted(),
    'every code but those that no response has',
  );
  t.strictSame(properties.errors.items.properties.rule.enum, REQUEST_RULES);
  t.strictSame(properties.errors.items.required, ['rule', 'detail']);
  t.equal(properties.errors.maxItems, 20);
});

const ajv = new Ajv({ strict: false });
ajv.addSchema(structuredClone(document) as object, 'openapi');

interface Example {
  title: string;
  schema: object;
  value: unknown;
}

function examplesOf(title: string, content: Record<string, object> = {}): Example[] {
  return Object.entries(content).flatMap(([type, media]) => {
    const { schema, examples = {} } = media as {
      schema: object;
      examples?: Record<string, { value: unknown }>;
    };
    return Object.entries(examples).map(([name, { value }]) => ({
      title: `${title} as ${type}, ${name}`,
      schema,
      value,
    }));
  });
}

const webhook = document.webhooks['claim.submitted']?.['post'];

/** Returns the members of a value that its schema does not name. */
function unnamed(value: unknown, schema: object, path = ''): string[] {
  const { properties, items } = schema as { properties?: Record<string, object>; items?: object };
  if (Array.isArray(value)) return items ? value.flatMap((item) => unnamed(item, items, `${path}/0`)) : [];
  if (properties === undefined) return [];
  return Object.entries(value as object).flatMap(([name, member]) =>
    properties[name] ? unnamed(member, properties[name], `${path}/${name}`) : [`${path}/${name}`],
  );
}

t.test('the webhook of docs/delivery.md is in the document, with all of its members', async (t) => {
  const { mint, submitJson, events } = await createWorld();
  const { config } = linkRequest();
  const contact = {
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@example.com',
    phone: '+1 555 0100',
  };
  const full = claim({
    policy: { ...claim().policy, linkedContacts: [contact] },
    incident: { date: '2026-02-28', description: 'Hail' },
    extra: { ticket: 42 },
  });
  for (const [extra, body] of [
    [{ case: 'K-7' }, full],
    [undefined, claim()],
  ] as const)
    await submitJson(await mint({ config: { ...config, ...(extra && { extra }) } }), body);
  const schema = document.components.schemas['SubmissionWebhook'] ?? {};
  t.equal(events.length, 2);
  for (const { clientId, userId, linkId, session } of events) {
    const data = { clientId, userId, linkId, session };
    const body = { type: 'claim.submitted', timestamp: session.date, data };
    const received = JSON.parse(JSON.stringify(body));
    t.ok(ajv.validate({ $ref: 'openapi#/components/schemas/SubmissionWebhook' }, received), 'it is valid', {
      errors: ajv.errors,
    });
    t.strictSame(unnamed(received, schema), [], 'every member is named');
  }
  t.strictSame(
    webhook?.parameters.map(({ in: place, name, required }) => [place, name, required]),
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ['header', name, true]),
  );
});

const examples = [...operations, ...(webhook ? [webhook] : [])].flatMap(
  ({ operationId, requestBody, responses }) => [
    ...examplesOf(`${operationId} request`, requestBody?.content),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      examplesOf(`${operationId} response ${status}`, content),
    ),
  ],
);

for (const { title, schema, value } of examples) {
  t.test(`the example of ${title} is a fixture that is valid`, async (t) => {
    t.not(value, undefined);
    const resolved = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
    t.ok(ajv.validate(resolved, value), 'valid', { errors: ajv.errors });
  });
}

t.test('every request body and every response with a body has an example', async (t) => {
  for (const { operationId, requestBody, responses } of operations) {
    const bodies = { request: requestBody, ...responses };
    for (const [name, body] of Object.entries(bodies)) {
      // The document is JSON: no image is in it.
      if (body?.content === undefined || /image/.test(Object.keys(body.content).join())) continue;
      t.ok(examplesOf('', body.content).length > 0, `${operationId} ${name}`);
    }
  }
});

t.test('an example of a problem has the status of its response', async (t) => {
  const problems = examples.filter(({ title }) => title.includes('problem+json'));
  t.ok(problems.length > 20);
  for (const { title, value } of problems)
    t.match(title, `response ${(value as { status: number }).status} `);
});

t.test('generated clients can set members of extra', async (t) => {
  const { LinkRequest, ClaimSubmission } = document.components.schemas as unknown as Record<
    string,
    { properties: { extra?: object; config?: { properties: { extra: object } } } }
  >;
  t.match(LinkRequest?.properties.config?.properties.extra, { type: 'object', additionalProperties: true });
  t.match(ClaimSubmission?.properties.extra, { type: 'object', additionalProperties: true });
});

t.test('without a widget the document has both endpoints and no pages', async (t) => {
  const { claimlink: bare } = await createWorld({ widget: false });
  t.strictSame(Object.keys(bare.openapi.paths), ['/{clientId}/sessions/{userId}', '/{clientId}/link']);
  t.ok((await new Validator().validate(structuredClone(bare.openapi) as never)).valid);
});
