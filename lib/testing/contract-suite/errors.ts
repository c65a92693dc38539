// Rules about bodies, errors, methods and paths.

import { isError } from '../../core/plain-data.js';
import type { Deployment } from './deployment.js';
import {
  bodyKind,
  expect,
  expectErrorsAt,
  expectMediaType,
  expectProblem,
  expectStatus,
  fail,
  header,
  jsonOf,
  kindOf,
  listed,
  memberOf,
  NotApplicableError,
  objectOf,
} from './expect.js';
import { REQUIRED_MEMBERS, withMember } from './link.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { problemSample } from './sample-responses.js';
import { JSON_TYPE } from './samples.js';
import { randomName } from './target.js';

/** More than the default bodyLimitBytes, 65 536. */
const LARGE_BYTES = 70_000;

function post(deployment: Deployment, headers: Readonly<Record<string, string>>, body?: string | Uint8Array) {
  return deployment.send({ method: 'POST', url: deployment.linkPath(), headers, body });
}

function validBody(deployment: Deployment): string {
  return JSON.stringify(deployment.linkRequest());
}

/** Retries, because a server may close the connection before the client has read the response. */
async function postLarge(deployment: Deployment): Promise<TextResponse> {
  const padding = 'x'.repeat(LARGE_BYTES - validBody(deployment).length);
  const body = validBody(deployment).replace('{', `{"padding":"${padding}",`);
  for (let attempt = 1; ; attempt++) {
    try {
      return await post(deployment, JSON_TYPE, body);
    } catch (error) {
      if (attempt < 3) continue;
      const reason = isError(error) ? error.message : String(error);
      throw new NotApplicableError(`the connection was closed before the response was read: ${reason}`);
    }
  }
}

export const bodySection: ContractSection = {
  section: 'Decision: body',
  advice: 'Accept JSON objects up to 64 KiB as application/json only. A proxy may have its own limits.',
  rules: [
    {
      name: 'a link request of another content type is 415',
      sample: problemSample('content_type_unsupported'),
      async check(deployment) {
        const response = await post(deployment, { 'content-type': 'text/plain' }, validBody(deployment));
        expectProblem(response, 415, 'content_type_unsupported');
      },
    },
    {
      name: 'a link request without a content type is 415',
      sample: problemSample('content_type_unsupported'),
      async check(deployment) {
        // Bytes, because fetch adds a content type to a string.
        const response = await post(deployment, {}, new TextEncoder().encode(validBody(deployment)));
        expectProblem(response, 415, 'content_type_unsupported');
      },
    },
    {
      name: 'a content type with a charset, in any case, is accepted',
      async check(deployment) {
        await deployment.createLink();
        const type = { 'content-type': 'Application/JSON; charset=UTF-8' };
        expectStatus(await post(deployment, type, validBody(deployment)), 200);
      },
    },
    {
      name: `a link request of ${LARGE_BYTES / 1000} kB is 413`,
      async check(deployment) {
        const response = await postLarge(deployment);
        // The limit is an option (bodyLimitBytes), and a parser of the host may have another limit.
        if (response.status === 200)
          throw new NotApplicableError('the deployment accepts bodies of this size');
        expectStatus(response, 413);
      },
    },
    {
      name: 'malformed JSON is 400',
      async check(deployment) {
        // Only the status, because a parser of the host may send the response.
        expectStatus(await post(deployment, JSON_TYPE, '{"callbackUrl":'), 400);
      },
    },
    {
      name: 'an empty body is 400',
      async check(deployment) {
        expectStatus(await post(deployment, JSON_TYPE, ''), 400);
      },
    },
    {
      name: 'a JSON body that is not an object is 400',
      sample: problemSample('request_invalid', [''], 'type'),
      async check(deployment) {
        expectProblem(await deployment.postLink([]), 400, 'request_invalid');
      },
    },
    {
      name: 'a __proto__ member is 400',
      async check(deployment) {
        await deployment.createLink();
        const body = validBody(deployment).replace('{', '{"__proto__":{"polluted":true},');
        expectStatus(await post(deployment, JSON_TYPE, body), 400);
      },
    },
  ],
};

type SendRequest = (deployment: Deployment) => Promise<TextResponse>;

/** One request for each kind of error that needs no special data, and a problem that is accepted. */
const ERROR_CAUSES: readonly (readonly [what: string, sample: string, send: SendRequest])[] = [
  [
    'a 401',
    problemSample('api_key_missing'),
    (deployment) => deployment.send({ url: deployment.listingPath(), apiKey: undefined }),
  ],
  [
    'a 404',
    problemSample('client_not_found'),
    (deployment) =>
      deployment.send({ url: deployment.listingPath(undefined, `claimlink-check-${randomName()}`) }),
  ],
  [
    'a 400 of the body',
    problemSample('request_invalid', ['/callbackUrl', '/config'], 'required'),
    (deployment) => deployment.postLink({}),
  ],
  [
    'a 400 of the query',
    problemSample('request_invalid', ['limit'], 'limit'),
    (deployment) => deployment.getListing('?limit=0'),
  ],
  ['a 405', methodSample(['POST']), (deployment) => deployment.send({ url: deployment.linkPath() })],
  [
    'a 415',
    problemSample('content_type_unsupported'),
    (deployment) => post(deployment, { 'content-type': 'text/plain' }, 'x'),
  ],
];

function problemRule([what, sample, send]: (typeof ERROR_CAUSES)[number]): ContractRule {
  return {
    name: `${what} is application/problem+json with type, title, status, detail and code`,
    sample,
    async check(deployment) {
      const response = await send(deployment);
      expectStatus(response, Number(/\d+/.exec(what)?.[0]));
      expectMediaType(response, 'application/problem+json');
      const problem = objectOf(jsonOf(response));
      if (problem === undefined) fail(response, bodyKind(response), 'an object');
      for (const name of ['type', 'title', 'detail', 'code']) {
        const value = problem[name];
        expect(typeof value === 'string' && value !== '', response, `${name}: ${kindOf(value)}`, 'a text');
      }
      const { type, code, status } = problem;
      const isType = type === `urn:claimlink:problem:${code}`;
      expect(isType, response, 'another type', 'the type urn:claimlink:problem:<code>');
      expect(status === response.status, response, `the member status ${status}`, `${response.status}`);
    },
  };
}

/** A member that the contract requires, and the errors that claimlink decided for a request without it. */
function requiredRule(pointer: string): ContractRule {
  return {
    name: `without ${pointer}, a 400 that names it`,
    sample: problemSample('request_invalid', [pointer], 'required'),
    async check(deployment) {
      expectErrorsAt(await deployment.postLink(withMember(deployment, pointer, undefined)), [pointer]);
    },
  };
}

export const errorSection: ContractSection = {
  section: 'Decision: errors',
  advice: 'Return errors as RFC 9457 problems, with the members and headers of the sample.',
  rules: [
    ...ERROR_CAUSES.map(problemRule),
    ...REQUIRED_MEMBERS.map(requiredRule),
    {
      name: 'each of the errors of a 400 has a pointer or parameter, and a detail',
      sample: problemSample('request_invalid', ['/callbackUrl', '/config'], 'required'),
      async check(deployment) {
        const response = await deployment.postLink({});
        expectErrorsAt(response, ['/callbackUrl', '/config']);
        const errors = memberOf(response, 'errors');
        for (const error of Array.isArray(errors) ? errors : []) {
          const { pointer, parameter, detail } = objectOf(error) ?? {};
          const isPlaced = typeof (pointer ?? parameter) === 'string';
          const isDetailed = typeof detail === 'string' && detail !== '';
          expect(isPlaced && isDetailed, response, kindOf(error), 'a pointer or parameter, and a detail');
        }
      },
    },
    wrongMethod('POST', 'a listing', (deployment) => deployment.listingPath(), ['GET', 'HEAD']),
    wrongMethod('GET', 'a link request', (deployment) => deployment.linkPath(), ['POST']),
    {
      name: 'PUT to a link is 405, with Allow: GET, HEAD, POST',
      async check(deployment) {
        await deployment.createOpenableLink();
        // Not a valid link, because a host may accept PUT for it.
        const url = '/verify/claimlink-check?token=x';
        expectAllowed(await deployment.send({ method: 'PUT', url, apiKey: undefined }), [
          'GET',
          'HEAD',
          'POST',
        ]);
      },
    },
  ],
};

function wrongMethod(
  method: string,
  what: string,
  path: (deployment: Deployment) => string,
  allowed: readonly string[],
): ContractRule {
  return {
    name: `${method} of the path of ${what} is 405, with Allow: ${allowed.join(', ')}`,
    sample: methodSample(allowed),
    check: async (deployment) =>
      expectAllowed(await deployment.send({ method, url: path(deployment) }), allowed),
  };
}

function methodSample(allowed: readonly string[]): string {
  return problemSample('method_not_allowed', [], 'type', { allow: allowed.join(', ') });
}

function expectAllowed(response: TextResponse, allowed: readonly string[]): void {
  expectStatus(response, 405);
  const actual = header(response, 'allow')
    .split(',')
    .map((method) => method.trim())
    .filter(Boolean);
  const isSame = [...actual].sort().join() === [...allowed].sort().join();
  expect(isSame, response, `Allow: ${listed(actual)}`, `Allow: ${allowed.join(', ')}`);
}

/** A path that must be answered with this status. The host may write the body. */
function answered(
  name: string,
  path: (deployment: Deployment) => string,
  status: number,
  method = 'GET',
): ContractRule {
  return {
    name,
    check: async (deployment) =>
      expectStatus(await deployment.send({ method, url: path(deployment) }), status),
  };
}

const LONGEST_ID = 'claimlink-'.repeat(26).slice(0, 256);

export const routeSection: ContractSection = {
  section: 'Decision: routes, ids',
  advice:
    'Accept user ids of 1 to 256 characters without control characters, and no other paths. A proxy may have its own limits.',
  rules: [
    answered('a trailing slash after a listing is 404', ({ listingPath }) => `${listingPath()}/`, 404),
    answered('a trailing slash after link is 404', ({ linkPath }) => `${linkPath()}/`, 404, 'POST'),
    answered(
      'no client can have a name that starts with __',
      ({ listingPath }) => listingPath(undefined, '__claimlink-check'),
      404,
    ),
    {
      name: 'no client can have the name verify',
      async check(deployment) {
        await deployment.createOpenableLink();
        expectStatus(await deployment.send({ url: deployment.listingPath(undefined, 'verify') }), 404);
      },
    },
    answered('a user id of 256 characters is accepted', ({ listingPath }) => listingPath(LONGEST_ID), 200),
    answered('a user id of 257 characters is 414', ({ listingPath }) => listingPath(`${LONGEST_ID}x`), 414),
    answered(
      'a control character in a user id is 400',
      ({ listingPath }) => listingPath('claimlink-check\u0007'),
      400,
    ),
  ],
};
