// Responses that their callers do not read: one client cannot fill the memory with them.
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import t from 'tap';
import { createUnreadLimit } from '../../../mock-server/http/unread.js';

/** A request of a client, by its control token or its key, and its response. */
function exchangeOf(clientId: string | undefined, by: 'tokenClient' | 'logged' = 'logged') {
  const raw = new EventEmitter();
  const request = { [by]: { clientId } } as unknown as FastifyRequest;
  const reply = { raw, getHeader: () => '60' } as unknown as FastifyReply;
  return { request, reply, close: () => raw.emit('close') };
}

t.test('a client that reads nothing gets no further response until one has ended', async (t) => {
  const isWithin = createUnreadLimit(100);
  const first = exchangeOf('p1');
  t.equal(isWithin(first.request, first.reply, 'x'.repeat(60)), true);
  const second = exchangeOf('p1', 'tokenClient');
  t.equal(isWithin(second.request, second.reply, 'x'.repeat(60)), false, 'by key and by token');
  const other = exchangeOf('p2');
  t.equal(isWithin(other.request, other.reply, 'x'.repeat(60)), true);
  first.close();
  t.equal(isWithin(second.request, second.reply, 'x'.repeat(60)), true);
});

t.test('a slow response counts by its length; one that is larger than the limit is sent alone', async (t) => {
  const isWithin = createUnreadLimit(100);
  const slow = exchangeOf('p1');
  t.equal(isWithin(slow.request, slow.reply, {}), true);
  const large = exchangeOf('p1');
  t.equal(isWithin(large.request, large.reply, 'x'.repeat(50)), false);
  slow.close();
  t.equal(isWithin(large.request, large.reply, 'x'.repeat(500)), true);
});

t.test('callers without a key share one limit', async (t) => {
  const isWithin = createUnreadLimit(100);
  const first = exchangeOf(undefined);
  const second = exchangeOf(undefined);
  t.equal(isWithin(first.request, first.reply, 'x'.repeat(60)), true);
  t.equal(isWithin(second.request, second.reply, 'x'.repeat(60)), false);
});
