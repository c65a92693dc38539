// All mounts answer a generated request with the same bytes, unless the framework answers it itself.
import fc from 'fast-check';
import t from 'tap';
import { comparable } from '../adapters/http-client.js';
import { MOUNTS } from '../adapters/mounts.js';
import { CLAIM, createTestService, KEYS, linkRequest, mintLink } from '../adapters/service.js';
import { applyEdits, edits, nearJson, text } from './arbitraries.js';
import { check, inputs } from './check.js';

const REQUESTS = inputs(100, 15);

/** `express.json()` reads bodies before claimlink does. The HTTP suite has its differences. */
const kinds = MOUNTS.filter(({ name }) => !name.includes('express.json'));

/** What HTTP clients send without a change: no dot segments, and visible ASCII. */
const segment = text
  .map((value) => encodeURIComponent(value.toWellFormed()))
  .filter((part) => !/^\.*$/.test(part));
const headerText = fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((value) => value.trim());

const bodyOf = (valid: object) =>
  fc.oneof(
    nearJson(valid).map((value) => JSON.stringify(value)),
    edits.map((changes) => applyEdits(JSON.stringify(valid), changes).toWellFormed()),
  );

const request = fc.record({
  place: fc.constantFrom('link', 'sessions', 'page') as fc.Arbitrary<'link' | 'sessions' | 'page'>,
  userId: fc.oneof(fc.constant('user-1'), segment),
  query: fc.dictionary(fc.constantFrom('limit', 'status', 'cursor', 'lang'), text, { maxKeys: 2 }),
  method: fc.constantFrom('GET', 'GET', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE'),
  key: fc.oneof(
    { weight: 5, arbitrary: fc.constant<string>(KEYS.good) },
    { weight: 1, arbitrary: headerText },
  ),
  type: fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain'),
  accept: fc.oneof(fc.constantFrom('application/json', 'text/html', '*/*'), headerText),
  language: headerText,
  claimBody: bodyOf(CLAIM),
  linkBody: bodyOf(linkRequest()),
});

t.test(`${REQUESTS} requests: every mount answers as node:http does`, async (t) => {
  const service = await createTestService();
  const mounts = await Promise.all(
    kinds.map(async (kind) => ({ kind, mount: await kind.start(service.claimlink) })),
  );
  t.teardown(() => Promise.all(mounts.map(({ mount }) => mount.close())));
  /** Number of compared responses of each mount. */
  const compared = new Map<string, number>();
  await check(
    REQUESTS,
    fc.asyncProperty(request, async ({ place, userId, query, method, type, ...generated }) => {
      const search = `?${new URLSearchParams(query)}`;
      const path = {
        link: '/acme/link',
        sessions: `/acme/sessions/${userId}${search}`,
        page: await mintLink(service),
      }[place];
      const body = place === 'page' ? generated.claimBody : generated.linkBody;
      const sent = {
        method,
        path,
        headers: {
          'x-api-key': generated.key,
          'content-type': type,
          accept: generated.accept,
          'accept-language': generated.language,
        },
        ...(method.startsWith('P') && { body }),
      };
      // A repeated submission says that it is one, so the first submission is not compared.
      await mounts[0]?.mount.send(sent);
      let expected: string | undefined;
      for (const { kind, mount } of mounts) {
        const response = await mount.send(sent);
        const isOwn = response.headers['cache-control'] === 'no-store';
        const isForced = kind.differences.some(({ status }) => status === response.status);
        if (!isOwn && isForced) continue;
        compared.set(kind.name, (compared.get(kind.name) ?? 0) + 1);
        const answer = comparable(response);
        expected ??= answer;
        if (answer !== expected || response.status >= 500)
          throw new Error(`${kind.name}: ${answer}\ninstead of ${expected}`);
      }
    }),
  );
  t.same(service.failures, []);
  for (const { name } of kinds)
    t.ok((compared.get(name) ?? 0) > REQUESTS / 2, `${name}: ${compared.get(name)}`);
});
