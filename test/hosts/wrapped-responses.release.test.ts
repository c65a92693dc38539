// Packages that replace methods of the response: they return nothing where Node returns the response.
import t, { type Test } from 'tap';
import { createNodeHandler } from '../../lib/adapters/node.js';
import type { Claimlink } from '../../lib/index.js';
import { send } from '../adapters/http-client.js';
import { CLAIM, createTestService, KEYS, linkRequest } from '../adapters/service.js';
import { serve } from '../listen.js';
import { HAS_TEST_PACKAGES } from './installed.js';
import { loadTestPackage } from './load.js';

/** Sends a request, and returns status, headers and body of its response. */
type Call = (request: {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}) => Promise<{ status: number; headers: Record<string, unknown>; body: string }>;

/** Checks what claimlink sends: JSON, a page, an error before the body is read, and the failure of a wrapped `handle`. */
async function drive(t: Test, connect: (t: Test, claimlink: Claimlink) => Promise<Call>) {
  const { claimlink, failures } = await createTestService();
  const call = await connect(t, claimlink);
  const headers = { 'x-api-key': KEYS.good, 'content-type': 'application/json' };
  const post = (path: string, body: object, extra = {}) =>
    call({ method: 'POST', path, headers: { ...headers, ...extra }, body: JSON.stringify(body) });

  const created = await post('/claims/acme/link', linkRequest());
  t.equal(created.status, 200, created.body);
  const { pathname, search } = new URL(JSON.parse(created.body).data);
  const path = `/claims${pathname}${search}`;
  t.match(await call({ method: 'GET', path }), { status: 200, body: /<form [^>]*id="claim"/ });
  t.match(await post(path, CLAIM), { status: 200, body: /"reference"/ });
  t.match(await post('/claims/acme/link', {}, { 'x-api-key': 'clk_wrong' }), { status: 401 });
  t.same(failures, []);

  const handle = () => Promise.reject(new Error('of the host'));
  const failing = await connect(t, { ...claimlink, handle });
  t.match(await failing({ method: 'GET', path }), { status: 500, body: '' });
  t.match(failures, [{ error: /of the host/, request: { instance: /^urn:uuid:/ } }]);
}

if (HAS_TEST_PACKAGES) {
  t.test('on-headers 1.0.1: claimlink answers behind a wrapped writeHead', (t) =>
    drive(t, async (t, claimlink) => {
      const onHeaders = loadTestPackage('on-headers');
      const handler = createNodeHandler(claimlink, { basePath: '/claims' });
      const origin = await serve(t, (req, res) => {
        onHeaders(res, () => res.setHeader('x-host', 'yes'));
        handler(req, res);
      });
      return async (request) => {
        const response = await send(origin, request);
        t.equal(response.headers['x-host'], 'yes');
        return response;
      };
    }),
  );

  t.test('serverless-http 4: claimlink answers an event of API Gateway', (t) =>
    drive(t, async (_t, claimlink) => {
      const handler = loadTestPackage('serverless-http')(
        createNodeHandler(claimlink, { basePath: '/claims' }),
      );
      return async ({ method, path, headers = {}, body = '' }) => {
        const { pathname, searchParams } = new URL(path, 'http://localhost');
        const event = {
          httpMethod: method,
          path: pathname,
          queryStringParameters: Object.fromEntries(searchParams),
          headers,
          body,
          requestContext: {},
        };
        const result = await handler(event, {});
        return { ...result, status: result.statusCode };
      };
    }),
  );
}
