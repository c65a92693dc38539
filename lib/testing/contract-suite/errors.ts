// Contract rules: bodies that are refused, the form of errors, methods, paths and headers.
import type { Answer } from './client.js';
import {
  expect,
  expectMediaType,
  expectPlaces,
  expectProblem,
  expectStatus,
  fail,
  header,
  jsonOf,
  kindOf,
  listed,
  NotApplicableError,
  objectOf,
} from './expect.js';
import { JSON_TYPE, minimalLinkRequest, WANTS_PAGE } from './samples.js';
import { randomName } from './target.js';
import type { ContractRule, ContractSection, ContractWorld } from './world.js';

/** More than the default bodyLimitBytes, 65 536. */
const LARGE_BYTES = 70_000;

function post(world: ContractWorld, headers: Readonly<Record<string, string>>, body?: string | Uint8Array) {
  return world.send({ method: 'POST', url: world.linkPath(), headers, body });
}

function validBody(world: ContractWorld): string {
  return JSON.stringify(minimalLinkRequest(world.target.callbackUrl, world.target.userId));
}

/** A server may close the connection before all is written, and the answer is lost: asked again then. */
async function postLarge(world: ContractWorld): Promise<Answer> {
  const padding = 'x'.repeat(LARGE_BYTES - validBody(world).length);
  const body = validBody(world).replace('{', `{"padding":"${padding}",`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await post(world, JSON_TYPE, body);
    } catch (error) {
      if (attempt < 3) continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new NotApplicableError(`the connection was closed before the answer was read: ${reason}`);
    }
  }
}

export const bodySection: ContractSection = {
  section: 'Decision: body',
  rules: [
    {
      name: 'a link request of another content type is 415',
      async check(world) {
        const answer = await post(world, { 'content-type': 'text/plain' }, validBody(world));
        expectProblem(answer, 415, 'content_type_unsupported');
      },
    },
    {
      name: 'a link request without a content type is 415',
      async check(world) {
        // Bytes, since fetch gives a string a content type.
        const answer = await post(world, {}, new TextEncoder().encode(validBody(world)));
        expectProblem(answer, 415, 'content_type_unsupported');
      },
    },
    {
      name: 'a content type with a charset, in any case, is taken',
      async check(world) {
        await world.mint();
        const type = { 'content-type': 'Application/JSON; charset=UTF-8' };
        expectStatus(await post(world, type, validBody(world)), 200);
      },
    },
    {
      name: `a link request of ${LARGE_BYTES / 1000} kB is 413`,
      async check(world) {
        const answer = await postLarge(world);
        // bodyLimitBytes is an option, and a parser of the host's has a limit of its own.
        if (answer.status === 200) throw new NotApplicableError('the deployment takes bodies of this size');
        expectStatus(answer, 413);
      },
    },
    {
      name: 'malformed JSON is 400',
      async check(world) {
        // No more than the status: a parser of the host's may answer.
        expectStatus(await post(world, JSON_TYPE, '{"callbackUrl":'), 400);
      },
    },
    {
      name: 'an empty body is 400',
      async check(world) {
        expectStatus(await post(world, JSON_TYPE, ''), 400);
      },
    },
    {
      name: 'a JSON body that is no object is 400',
      async check(world) {
        expectProblem(await post(world, JSON_TYPE, '[]'), 400, 'request_invalid');
      },
    },
    {
      name: 'a __proto__ member is 400',
      async check(world) {
        await world.mint();
        const body = validBody(world).replace('{', '{"__proto__":{"polluted":true},');
        expectStatus(await post(world, JSON_TYPE, body), 400);
      },
    },
  ],
};

/** One error of each kind that anybody can cause. */
const ERROR_CAUSES: Readonly<Record<string, (world: ContractWorld) => Promise<Answer>>> = {
  'a 401': (world) => world.send({ url: world.listingPath(), apiKey: undefined }),
  'a 404': (world) => world.send({ url: world.listingPath(undefined, `claimlink-check-${randomName()}`) }),
  'a 400 of the body': (world) => post(world, JSON_TYPE, '{}'),
  'a 400 of the query': (world) => world.send({ url: `${world.listingPath()}?limit=0` }),
  'a 405': (world) => world.send({ url: world.linkPath() }),
  'a 415': (world) => post(world, { 'content-type': 'text/plain' }, 'x'),
};

function problemRule([what, cause]: [string, (world: ContractWorld) => Promise<Answer>]): ContractRule {
  return {
    name: `${what} is application/problem+json with type, title, status, detail and code`,
    async check(world) {
      const answer = await cause(world);
      expectMediaType(answer, 'application/problem+json');
      const problem = objectOf(jsonOf(answer));
      if (problem === undefined) fail(answer.title, kindOf(jsonOf(answer)), 'an object');
      for (const name of ['type', 'title', 'detail', 'code']) {
        const seen = problem[name];
        expect(typeof seen === 'string' && seen !== '', answer.title, `${name}: ${kindOf(seen)}`, 'a text');
      }
      const { type, code, status } = problem;
      const isType = type === `urn:claimlink:problem:${code}`;
      expect(isType, answer.title, 'another type', 'the type urn:claimlink:problem:<code>');
      expect(status === answer.status, answer.title, `the member status ${status}`, `${answer.status}`);
    },
  };
}

export const errorSection: ContractSection = {
  section: 'Decision: errors',
  rules: [
    ...Object.entries(ERROR_CAUSES).map(problemRule),
    {
      name: 'each of the errors of a 400 has a pointer or parameter, and a detail',
      async check(world) {
        const answer = await post(world, JSON_TYPE, '{}');
        expectPlaces(answer, ['/callbackUrl', '/config']);
        const errors = objectOf(jsonOf(answer))?.['errors'];
        for (const error of Array.isArray(errors) ? errors : []) {
          const { pointer, parameter, detail } = objectOf(error) ?? {};
          const isPlaced = typeof (pointer ?? parameter) === 'string';
          const isDetailed = typeof detail === 'string' && detail !== '';
          expect(isPlaced && isDetailed, answer.title, kindOf(error), 'a pointer or parameter, and a detail');
        }
      },
    },
    wrongMethod('POST', 'a listing', (world) => world.listingPath(), ['GET', 'HEAD']),
    wrongMethod('GET', 'a link request', (world) => world.linkPath(), ['POST']),
    {
      name: 'PUT to a link is 405, with Allow: GET, HEAD, POST',
      async check(world) {
        await world.openable();
        // Not a link that works, for nobody knows what a PUT does elsewhere.
        const url = '/verify/claimlink-check?token=x';
        expectAllowed(await world.send({ method: 'PUT', url, apiKey: undefined }), ['GET', 'HEAD', 'POST']);
      },
    },
  ],
};

function wrongMethod(
  method: string,
  what: string,
  path: (world: ContractWorld) => string,
  allowed: readonly string[],
): ContractRule {
  return {
    name: `${method} of the path of ${what} is 405, with Allow: ${allowed.join(', ')}`,
    check: async (world) => expectAllowed(await world.send({ method, url: path(world) }), allowed),
  };
}

function expectAllowed(answer: Answer, allowed: readonly string[]): void {
  expectStatus(answer, 405);
  const seen = header(answer, 'allow')
    .split(',')
    .map((method) => method.trim())
    .filter(Boolean);
  const isSame = [...seen].sort().join() === [...allowed].sort().join();
  expect(isSame, answer.title, `Allow: ${listed(seen)}`, `Allow: ${allowed.join(', ')}`);
}

/** A path that must not be there. Its body may be the host's. */
function nothingAt(name: string, path: (world: ContractWorld) => string, method = 'GET'): ContractRule {
  return {
    name,
    check: async (world) => expectStatus(await world.send({ method, url: path(world) }), 404),
  };
}

export const routeSection: ContractSection = {
  section: 'Decision: routes, ids',
  rules: [
    nothingAt('a trailing slash after a listing is 404', (world) => `${world.listingPath()}/`),
    nothingAt('a trailing slash after link is 404', (world) => `${world.linkPath()}/`, 'POST'),
    nothingAt('no client can have a name that starts with __', (world) =>
      world.listingPath(undefined, '__claimlink-check'),
    ),
    {
      name: 'no client can have the name verify',
      async check(world) {
        await world.openable();
        expectStatus(await world.send({ url: world.listingPath(undefined, 'verify') }), 404);
      },
    },
    {
      name: 'a user id of 100 characters is taken',
      async check(world) {
        expectStatus(await world.send({ url: world.listingPath('claimlink-'.repeat(10)) }), 200);
      },
    },
    {
      name: 'a user id of 101 characters is 414',
      async check(world) {
        expectStatus(await world.send({ url: world.listingPath(`${'claimlink-'.repeat(10)}x`) }), 414);
      },
    },
    {
      name: 'a control character in a user id is 400',
      async check(world) {
        expectStatus(await world.send({ url: world.listingPath('claimlink-check\u0007') }), 400);
      },
    },
  ],
};

const ANSWERS: Readonly<Record<string, (world: ContractWorld) => Promise<Answer>>> = {
  'a listing': (world) => world.send({ url: world.listingPath() }),
  'a link': (world) => world.postLink(minimalLinkRequest(world.target.callbackUrl, world.target.userId)),
  'a 401': (world) => world.send({ url: world.listingPath(), apiKey: undefined }),
  'a 400': (world) => post(world, JSON_TYPE, '{}'),
  'the page of a link': async (world) => world.open(await world.openable(), WANTS_PAGE),
  'a submission': async (world) => (await world.aSubmission()).answer,
};

export const headerSection: ContractSection = {
  section: 'Decision: headers',
  rules: Object.entries(ANSWERS).flatMap(([what, ask]): ContractRule[] => [
    {
      name: `${what} has Cache-Control: no-store`,
      async check(world) {
        const answer = await ask(world);
        const seen = header(answer, 'cache-control');
        expect(
          /\bno-store\b/i.test(seen),
          answer.title,
          seen || 'no Cache-Control',
          'Cache-Control: no-store',
        );
      },
    },
    {
      name: `${what} has X-Content-Type-Options: nosniff`,
      async check(world) {
        const answer = await ask(world);
        const seen = header(answer, 'x-content-type-options');
        const says = 'X-Content-Type-Options: nosniff';
        expect(/^nosniff$/i.test(seen), answer.title, seen || 'no X-Content-Type-Options', says);
      },
    },
  ]),
};
