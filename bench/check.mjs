// Checks the responses of a server before, under and after the load.
import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { INVALID_LINK_REQUEST, PUBLIC_URL } from './data.mjs';
import { createResponses } from './service.mjs';

const LINK_URL = new RegExp(`^${PUBLIC_URL}/verify/[\\w-]{22}\\?token=[\\w-]+\\.[\\w-]+\\.[\\w-]{43}$`);
/** Headers that matter to a caller. Others, such as Date, may differ from server to server. */
const HEADERS = ['content-type', 'cache-control', 'x-content-type-options'];
const TIMEOUT_MS = 10_000;

const expectedResponses = await createResponses();

/** Sends one request. Resolves to `{ status, headers, body, wireBytes }`; `wireBytes` includes the headers. */
export function send(port, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    // Keep-alive, as wrk sends it: `Connection: close` would make the response longer.
    const agent = new Agent({ keepAlive: true });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const allHeaders =
      body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
    httpRequest({ host: '127.0.0.1', port, method, path, headers: allHeaders, agent, signal }, (response) => {
      const { socket, statusCode: status } = response;
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const wireBytes = socket.bytesRead;
        agent.destroy();
        resolve({ status, headers: response.headers, body: Buffer.concat(chunks).toString(), wireBytes });
      });
    })
      .on('error', reject)
      .end(body);
  });
}

/**
 * Sends the request of a case once. Resolves to the length of the response with its headers.
 * `server.responses` is 'same' as claimlink's, 'constant', or the same 'data'.
 * @throws if the response is wrong, or if the server accepts an invalid link request
 */
export async function checkResponse(port, server, caseName, request) {
  const response = await send(port, request);
  try {
    compare(response, expectedResponses[caseName], caseName, server.responses);
    if (caseName === 'link' && server.responses !== 'constant') await checkRejection(port, server);
  } catch (error) {
    throw new Error(`${server.name}, ${caseName}: wrong response: ${error.message.slice(0, 1500)}`);
  }
  return response.wireBytes;
}

function compare({ status, headers, body }, expected, caseName, exactness) {
  assert.equal(status, expected.status, `status ${status}: ${body.slice(0, 300)}`);
  if (exactness === 'data') {
    if (caseName === 'listing') assert.deepEqual(JSON.parse(body), JSON.parse(expected.body));
    else assert.equal(typeof JSON.parse(body).data, 'string');
    return;
  }
  for (const name of HEADERS) assert.equal(headers[name], expected.headers[name], name);
  assert.equal(Number(headers['content-length']), Buffer.byteLength(body), 'content-length');
  if (caseName === 'listing') assert.equal(body, expected.body);
  if (caseName === 'link') assert.match(JSON.parse(body).data, LINK_URL);
}

/** A server that accepts everything does less work than one that validates. */
async function checkRejection(port, { responses }) {
  const { status, body } = await send(port, INVALID_LINK_REQUEST);
  const isRejected =
    responses === 'data' ? status >= 400 && status < 500 : status === expectedResponses.invalidLink.status;
  assert.ok(isRejected, `an invalid link request got ${status}: ${body}`);
}

/** @throws if a response under load had another status or another length than the checked one */
export function checkLoad(result, server, caseName, { wireBytes, connections }) {
  const fail = (sentence) => {
    throw new Error(`${server.name}, ${caseName}: ${sentence}: ${JSON.stringify(result)}`);
  };
  if (result.requests === 0) fail('no response under load');
  if (result.errors > 0) fail('connections failed under load');
  if (result.rejected > 0) fail('wrong status under load');
  // Responses that were under way at the end are counted in one figure and not in the other.
  if (Math.abs(result.bytes - result.requests * wireBytes) > (connections + 1) * wireBytes)
    fail(`responses under load were not ${wireBytes} bytes long`);
}
