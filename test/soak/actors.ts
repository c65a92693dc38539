// The actors of a soak, beside those that create links and submit each of them over both services at once.
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Claimlink, LinkRequest } from '../../lib/index.js';
import type { PostgresStorage } from '../../lib/storage/postgres/index.js';
import { connectMock } from '../../mock-server/control/connect.js';
import { CLAIM, linkRequest } from '../adapters/service.js';
import type { Answer, ServiceProcess } from '../cluster/cluster.js';
import { type AcknowledgedLink, type Reader, readPage } from '../cluster/drill.js';
import type { Dice } from '../mock-server/dice.js';
import type { Traffic } from './traffic.js';

const USERS = 200;
const PIECES = 8;
const PIECE_MS = 100;

export interface SoakParts {
  dice: Dice;
  traffic: Traffic;
  services: readonly ServiceProcess[];
  /** The service in this process, over the same database: for calls that have no route. */
  host: Claimlink;
  storage: PostgresStorage;
  mockUrl: string;
  readers: readonly Reader[];
  /** Returns the API key that callers use now. */
  apiKey(): string;
}

/** A link request of one of the users. */
export const requestOf = (dice: Dice): LinkRequest => {
  const { config, ...request } = linkRequest();
  return { ...request, config: { ...config, currentUserId: `user-${dice.upTo(USERS - 1)}` } };
};

/** Repeats a call of the host while the storage is unavailable. */
export async function untilAvailable<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if ((error as { code?: string }).code !== 'storage_unavailable') throw error;
      await wait(50);
    }
  }
}

/** Starts the actors. They run until the traffic stops. Returns the links that they add to the acknowledged ones. */
export function startActors(parts: SoakParts): { links: AcknowledgedLink[]; ended: Promise<unknown> } {
  const { dice, traffic, services, host, storage, mockUrl, readers } = parts;
  const links: AcknowledgedLink[] = [];
  const mock = connectMock(mockUrl);

  /** Sends a request to one of the services, and again while the response is an error. */
  async function send(method: string, path: string, body?: unknown, expected = [200]): Promise<Answer> {
    for (;;) {
      const answer = await dice.pick(services).send(method, path, body, parts.apiKey());
      traffic.record(`${method} ${path}`, answer, expected);
      if (answer !== undefined && answer.status < 500) return answer;
      await wait(50);
    }
  }

  /** Creates a link, opens it, revokes it while it is submitted, and submits it again. */
  async function revoke() {
    const { url, linkId } = await untilAvailable(() => host.createLink('acme', requestOf(dice)));
    const path = url.slice('https://claims.example.com'.length);
    await send('HEAD', path);
    await send('GET', path);
    const submit = () => send('POST', path, CLAIM, [200, 410]);
    const submitted = dice.chance(0.5) ? submit() : undefined;
    const isRevoked = await untilAvailable(() => host.revokeLink('acme', linkId));
    const answers = [await submitted, await submit()].filter((answer) => answer?.status === 200);
    if (isRevoked && answers.length > 0) traffic.problems.push(`${linkId} was submitted and revoked.`);
    const references = answers.map((answer) => JSON.parse(answer?.body ?? '').data.reference);
    links.push({ linkId, references });
  }

  /** Lists the sessions of a user, up to five pages. */
  async function list() {
    let path: string | undefined = `/acme/sessions/user-${dice.upTo(USERS - 1)}?limit=5`;
    const listed = new Set<string>();
    for (let page = 0; page < 5 && path !== undefined; page++) {
      const answer: Answer = await send('GET', path);
      for (const { reference } of JSON.parse(answer.body)) {
        if (listed.has(reference)) traffic.problems.push(`${reference} is on two pages of a listing.`);
        listed.add(reference);
      }
      path = /<[^>]*?(\/acme\/[^>]*)>/.exec(String(answer.headers['link'] ?? ''))?.[1];
    }
  }

  /** A client that sends its request in pieces, reads slowly, or resets the connection in the middle of its body. */
  async function beSlow() {
    const { port } = dice.pick(services);
    const kind = dice.pick(['slow body', 'slow reader', 'reset']);
    const body = kind === 'slow reader' ? '' : JSON.stringify(requestOf(dice));
    const head = [
      kind === 'slow reader' ? `GET /acme/sessions/user-1?limit=50 HTTP/1.1` : `POST /acme/link HTTP/1.1`,
      'host: 127.0.0.1',
      `x-api-key: ${parts.apiKey()}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close\r\n\r\n',
    ];
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
    const closed = new Promise((resolve) => socket.on('close', resolve));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
      if (kind !== 'slow reader') return;
      socket.pause();
      setTimeout(() => socket.resume(), PIECE_MS);
    });
    socket.write(head.join('\r\n'));
    const size = Math.ceil(Buffer.byteLength(body) / PIECES);
    for (let piece = 0; piece < PIECES && body !== ''; piece++) {
      if (kind === 'reset' && piece === PIECES / 2) {
        socket.resetAndDestroy();
        break;
      }
      socket.write(Buffer.from(body).subarray(piece * size, (piece + 1) * size));
      await wait(PIECE_MS);
    }
    await closed;
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0);
    if (kind !== 'reset') traffic.record(kind, { status, body: received }, [200]);
  }

  /** Reads the events of the mock for a while, as a dashboard does that is closed again. */
  async function readEvents() {
    const end = new AbortController();
    const events = await fetch(new URL('/__mock/events', mockUrl), { signal: end.signal });
    const reading = events.body?.pipeTo(new WritableStream(), { signal: end.signal }).catch(() => {
      if (!end.signal.aborted) traffic.problems.push('The mock ended its events.');
    });
    await wait(dice.upTo(1500));
    end.abort();
    await reading;
  }

  /** Uses the service of the mock, and its control interface. */
  async function useMock() {
    const call = async (method: string, path: string, body?: unknown) => {
      const headers = { 'x-api-key': 'clk_test_demo', 'content-type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(new URL(path, mockUrl), init);
      const answer = { status: response.status, body: await response.text() };
      traffic.record(`mock ${method} ${path}`, answer, [200, 429]);
      return answer.status === 200 ? answer.body : undefined;
    };
    const clientId = 'demo';
    const fault = await mock.addFault({ clientId, status: 429, rate: 0.1 });
    await call('GET', `/demo/sessions/user-${dice.upTo(USERS)}`);
    const created = await call('POST', '/demo/link', linkRequest());
    if (created !== undefined) {
      const { data } = JSON.parse(created) as { data: string };
      await call('GET', data);
      await call('POST', data, CLAIM);
    }
    await mock.clearFaults({ clientId, ...(fault.id !== undefined && { id: fault.id }) });
    await mock.snapshot('soak');
    await mock.advanceClock(1000, { clientId });
    await Promise.all([mock.requests({ limit: 20 }), mock.links({ limit: 20 }), mock.state()]);
  }

  const ended = Promise.all([
    traffic.repeat('revoke', 300, revoke),
    traffic.repeat('list', 200, list),
    traffic.repeat('slow client', 300, beSlow),
    ...readers.map((reader) =>
      traffic.repeat('reader', 500, async () => void (await untilAvailable(() => readPage(storage, reader)))),
    ),
    traffic.repeat('events', 200, readEvents),
    traffic.repeat('events', 500, readEvents),
    traffic.repeat('mock', 400, useMock),
  ]);
  return { links, ended };
}
