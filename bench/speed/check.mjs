// Whether a server answers rightly: before it is measured, and after what happened under load.
import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { createAnswers } from './answers.mjs';
import { INVALID_LINK_REQUEST } from './data.mjs';

const LINK_URL = /^https:\/\/claims\.example\.com\/verify\/[\w-]{22}\?token=[\w-]+\.[\w-]+\.[\w-]{43}$/;
/** The headers that matter to a caller; Date and the like are each server's own. */
const HEADERS = [
  'content-type',
  'content-length',
  'cache-control',
  'x-content-type-options',
  'www-authenticate',
];

/** For a single request. */
const ANSWER_TIMEOUT_MS = 10_000;

const answers = await createAnswers();

/** Resolves to `{ status, headers, body, wireBytes }`, `wireBytes` being all that came over the connection. */
export function ask(port, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    // As wrk asks: kept alive, with nothing that it would not send.
    const agent = new Agent({ keepAlive: true });
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const outgoing = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
    httpRequest({ host: '127.0.0.1', port, method, path, headers: outgoing, agent, signal }, (response) => {
      const { socket } = response;
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const wireBytes = socket.bytesRead;
        agent.destroy();
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
          wireBytes,
        });
      });
    })
      .on('error', reject)
      .end(body);
  });
}

/**
 * Asks each different request of a case once. Resolves to the answers.
 * @throws a sentence that names the server and the case, when an answer is not as it must be.
 */
export async function checkAnswers({ port }, server, { id, name }, requests) {
  const different = [...new Set(requests)];
  const received = [];
  for (const request of different) {
    const answer = await ask(port, request);
    try {
      compare(answer, request, server.answers);
    } catch (error) {
      throw new Error(`${server.name} answers ${name} wrongly: ${error.message.slice(0, 1500)}`);
    }
    received.push(answer);
  }
  if (id === 'link' && server.answers !== 'constant') await checkRefusal(port, server);
  return received;
}

function compare({ status, headers, body }, { method, path }, how) {
  const kind = method === 'POST' ? 'link' : path.startsWith('/verify/') ? 'verify' : 'listing';
  const right = kind === 'listing' ? answers.byPath.get(path) : answers[kind];
  assert.equal(status, right.status, `status ${status}: ${body.slice(0, 300)}`);
  if (how === 'data') {
    const json = JSON.parse(body);
    if (kind === 'listing') assert.deepEqual(json, JSON.parse(right.body));
    else assert.equal(typeof json.data, 'string');
    return;
  }
  for (const name of HEADERS) assert.equal(headers[name], right.headers[name], name);
  if (kind === 'listing' || how === 'constant') assert.ok(sameBut(body, right.body, kind), 'other bytes');
  if (kind === 'link') assert.match(JSON.parse(body).data, LINK_URL);
  if (kind === 'verify') assert.ok(sameBut(body, right.body, kind), 'another page');
}

/** A page's nonce and a constant link are drawn anew by each process. */
function sameBut(body, right, kind) {
  if (kind === 'link') return body.length === right.length;
  const plain = (page) => page.replaceAll(/nonce="[^"]+"/g, 'nonce');
  return kind === 'verify' ? plain(body) === plain(right) : body === right;
}

/** Who validates for show only would be faster than who does. */
async function checkRefusal(port, { name, answers: how, adapt }) {
  const { status, body } = await ask(port, adapt?.(INVALID_LINK_REQUEST) ?? INVALID_LINK_REQUEST);
  const isRefused = how === 'data' ? status >= 400 && status < 500 : status === answers.invalidLink.status;
  if (!isRefused) throw new Error(`${name} takes a link request that is not valid: ${status} ${body}`);
}

/**
 * Holds what a load came to against the answers to single requests.
 * @throws a sentence, when not every answer under load had the right status, or not all had the right length.
 */
export function checkLoad(load, server, { name, status }, received, connections) {
  const fail = (sentence) => {
    throw new Error(`${server.name}, ${name}: ${sentence}: ${JSON.stringify(load)}`);
  };
  if (load.requests === 0) fail('no answer at all in this time, try more --seconds');
  if (load.socketErrors > 0) fail('connections failed under load');
  if (load.from400 !== (status >= 400 ? load.requests : 0)) fail(`not every answer under load was ${status}`);
  if (received.length !== 1) return;
  // Bytes of answers that were on their way at the end are counted, the answers are not.
  const [{ wireBytes }] = received;
  const expected = load.requests * wireBytes;
  const tolerance = (connections + 1) * wireBytes;
  if (Math.abs(load.bytes - expected) > tolerance)
    fail(`answers under load had another length than ${wireBytes} bytes`);
}
