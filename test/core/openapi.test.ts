// The OpenAPI document: valid, complete, and in step with the error table and the answers.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import t from 'tap';
import { ERRORS, type ErrorCode } from '../../lib/core/errors.js';
import { claim, createWorld, linkRequest, PUBLIC_URL, storedSession } from './world.js';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  security: object[];
}

const { claimlink } = await createWorld();
const document = claimlink.openapi;
const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ path, method, ...(operation as Operation) })),
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

t.test('it is plain JSON', async (t) => {
  t.strictSame(JSON.parse(JSON.stringify(document)), document);
});

t.test('every route is an operation, and the reverse', async (t) => {
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

t.test('the documented endpoints ask for the API key, the pages do not', async (t) => {
  t.strictSame(operation('listSessions')?.security, [{ apiKey: [] }]);
  t.strictSame(operation('createLink')?.security, [{ apiKey: [] }]);
  t.strictSame(operation('openLink')?.security, []);
});

/** Codes that no request to an operation is answered with, and why. */
const UNREACHABLE: Partial<Record<ErrorCode, string>> = {
  method_not_allowed: 'a method without an operation has no place in the document',
  already_exists: 'only provisioning throws it, which is not over HTTP',
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

t.test('answers are as their schemas say', async (t) => {
  const world = await createWorld();
  await world.storage.insertSession({ clientId: 'acme', userId: 'user-1', ...storedSession() });
  const minted = await world.requestLink(linkRequest());
  const link = await world.mint();
  const answers = {
    SessionList: await world.list(),
    LinkResponse: minted,
    SubmissionResponse: await world.submitJson(link, claim()),
    Problem: await world.requestLink({}),
  };
  const ajv = new Ajv({ strict: false });
  ajv.addSchema(structuredClone(document) as object, 'openapi');
  for (const [schema, { body }] of Object.entries(answers)) {
    const validate = ajv.compile({ $ref: `openapi#/components/schemas/${schema}` });
    t.ok(validate(JSON.parse(body)), schema, { errors: validate.errors });
  }
});

t.test('without a widget the document holds the two documented endpoints alone', async (t) => {
  const { claimlink: bare } = await createWorld({ widget: false });
  t.strictSame(Object.keys(bare.openapi.paths), ['/{clientId}/sessions/{userId}', '/{clientId}/link']);
  t.ok((await new Validator().validate(structuredClone(bare.openapi) as never)).valid);
});
