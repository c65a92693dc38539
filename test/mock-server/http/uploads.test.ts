// Bodies that arrive at the same time: one client cannot fill the memory with them.
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import t from 'tap';
import { createUploadLimit } from '../../../mock-server/http/uploads.js';

const BODY_LIMIT = 100;

function uploadOf(clientId: string | undefined, headers: Record<string, string>) {
  const raw = new EventEmitter();
  const tokenClient = clientId === undefined ? undefined : { clientId };
  const request = {
    tokenClient,
    headers,
    routeOptions: { bodyLimit: BODY_LIMIT },
  } as unknown as FastifyRequest;
  return { request, reply: { raw } as unknown as FastifyReply, close: () => raw.emit('close') };
}

const LENGTH = { 'content-length': '60' };

t.test('a client with too many bytes under way waits until one body has its response', async (t) => {
  const count = createUploadLimit(100);
  const first = uploadOf('p1', LENGTH);
  count(first.request, first.reply);
  const second = uploadOf('p1', LENGTH);
  t.throws(() => count(second.request, second.reply), { status: 429, code: 'too_many_calls' });
  const other = uploadOf('p2', LENGTH);
  t.doesNotThrow(() => count(other.request, other.reply), 'another client');
  first.close();
  t.doesNotThrow(() => count(second.request, second.reply));
});

t.test(
  'a body without a length counts as many bytes as its route takes, and a longer one no more',
  async (t) => {
    for (const headers of [{ 'transfer-encoding': 'chunked' }, { 'content-length': '1000000' }]) {
      const count = createUploadLimit(150);
      const first = uploadOf('p1', headers);
      count(first.request, first.reply);
      const small = uploadOf('p1', { 'content-length': '50' });
      t.doesNotThrow(() => count(small.request, small.reply));
      const second = uploadOf('p1', LENGTH);
      t.throws(() => count(second.request, second.reply), { code: 'too_many_calls' });
    }
  },
);

t.test('the operator has no limit', async (t) => {
  const count = createUploadLimit(100);
  for (let index = 0; index < 3; index++) {
    const { request, reply } = uploadOf(undefined, LENGTH);
    t.doesNotThrow(() => count(request, reply));
  }
});
