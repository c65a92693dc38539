// Responses that their callers do not read: one client cannot fill the memory with them.
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import t from 'tap';
import { createUnreadLimit } from '../../../mock-server/http/unread.js';

const KIB = 1024;

/** A request of a client, by its control token or its key, and its response. */
function exchangeOf(clientId: string | undefined, by: 'tokenClient' | 'logged' = 'logged') {
  const raw = new EventEmitter();
  const request = { [by]: { clientId }, routeOptions: {} } as unknown as FastifyRequest;
  const reply = { raw, getHeader: () => `${60 * KIB}` } as unknown as FastifyReply;
  return { request, reply, close: () => raw.emit('close') };
}

t.test('a client that reads nothing gets no further response until one has ended', async (t) => {
  const isWithin = createUnreadLimit(100 * KIB);
  const first = exchangeOf('p1');
  t.equal(isWithin(first.request, first.reply, 'x'.repeat(60 * KIB)), true);
  const second = exchangeOf('p1', 'tokenClient');
  t.equal(isWithin(second.request, second.reply, 'x'.repeat(60 * KIB)), false, 'by key and by token');
  const other = exchangeOf('p2');
  t.equal(isWithin(other.request, other.reply, 'x'.repeat(60 * KIB)), true);
  first.close();
  t.equal(isWithin(second.request, second.reply, 'x'.repeat(60 * KIB)), true);
});

t.test('a slow response counts by its length; one that is larger than the limit is sent alone', async (t) => {
  const isWithin = createUnreadLimit(100 * KIB);
  const slow = exchangeOf('p1');
  t.equal(isWithin(slow.request, slow.reply, {}), true);
  const large = exchangeOf('p1');
  t.equal(isWithin(large.request, large.reply, 'x'.repeat(50 * KIB)), false);
  slow.close();
  t.equal(isWithin(large.request, large.reply, 'x'.repeat(500 * KIB)), true);
});

t.test('callers without a key share one limit', async (t) => {
  const isWithin = createUnreadLimit(100 * KIB);
  const first = exchangeOf(undefined);
  const second = exchangeOf(undefined);
  t.equal(isWithin(first.request, first.reply, 'x'.repeat(60 * KIB)), true);
  t.equal(isWithin(second.request, second.reply, 'x'.repeat(60 * KIB)), false);
});

t.test('small responses and those of the operator have no limit', async (t) => {
  const isWithin = createUnreadLimit(100 * KIB);
  const first = exchangeOf(undefined);
  isWithin(first.request, first.reply, 'x'.repeat(90 * KIB));
  const small = exchangeOf(undefined);
  t.equal(isWithin(small.request, small.reply, 'x'.repeat(15 * KIB)), true);
  const operator = exchangeOf(undefined);
  Object.assign(operator.request, { routeOptions: { config: { area: 'control' } } });
  t.equal(isWithin(operator.request, operator.reply, 'x'.repeat(90 * KIB)), true);
});

t.test('a response whose connection has gone does not count', async (t) => {
  const isWithin = createUnreadLimit(100 * KIB);
  const gone = exchangeOf('p1');
  Object.assign(gone.reply.raw, { destroyed: true });
  isWithin(gone.request, gone.reply, 'x'.repeat(90 * KIB));
  const next = exchangeOf('p1');
  t.equal(isWithin(next.request, next.reply, 'x'.repeat(90 * KIB)), true);
});
