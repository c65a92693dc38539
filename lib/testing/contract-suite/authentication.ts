// Rules about authentication, the same for both endpoints.

import { ERRORS, type ErrorCode } from '../../core/errors.js';
import type { Deployment } from './deployment.js';
import {
  expect,
  expectProblem,
  expectRejection,
  expectStatus,
  header,
  NotApplicableError,
} from './expect.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { problemSample } from './sample-responses.js';
import { JSON_TYPE } from './samples.js';
import { randomName } from './target.js';

/** A key that the deployment never issued. */
const UNKNOWN_KEY = 'claimlink-check-unknown-key';

interface Endpoint {
  name: string;
  /** Sends a request with this key. Default: the client of the target. */
  request(deployment: Deployment, apiKey: string | undefined, clientId?: string): Promise<TextResponse>;
}

const LISTING: Endpoint = {
  name: 'a listing',
  request: (deployment, apiKey, clientId) =>
    deployment.send({ url: deployment.listingPath(undefined, clientId), headers: JSON_TYPE, apiKey }),
};

const LINK: Endpoint = {
  name: 'a link request',
  request: (deployment, apiKey, clientId) =>
    deployment.send({
      method: 'POST',
      url: deployment.linkPath(clientId),
      headers: JSON_TYPE,
      apiKey,
      body: JSON.stringify(deployment.linkRequest()),
    }),
};

type Key = 'none' | 'empty' | 'unknown' | 'valid';
type ClientOfPath = 'own' | 'other' | 'unknown';

/** A request with a wrong key or client. */
type WrongRequest = readonly [what: string, key: Key, client: ClientOfPath, advice?: string];

const NO_KEY: WrongRequest = ['without x-api-key', 'none', 'own'];
const EMPTY_KEY: WrongRequest = ['with an empty x-api-key', 'empty', 'own'];
const UNKNOWN: WrongRequest = ['with an unknown key', 'unknown', 'own'];
const UNKNOWN_BOTH: WrongRequest = [
  'with an unknown key, for a client that does not exist,',
  'unknown',
  'unknown',
];
const UNKNOWN_CLIENT: WrongRequest = [
  'for a client that does not exist, with a known key,',
  'valid',
  'unknown',
  'Return 404 for a client that does not exist if the key is the valid key of any client, and 401 for any other key.',
];
const OTHER_CLIENT: WrongRequest = ['with a key of another client', 'valid', 'other'];

/** The errors that the contract documents. It leaves the errors of the link endpoint open. */
const LISTING_STATUSES: readonly (readonly [WrongRequest, status: number])[] = [
  [NO_KEY, 401],
  [UNKNOWN, 401],
  [UNKNOWN_CLIENT, 404],
  [OTHER_CLIENT, 401],
];

const DECIDED_CODES: readonly (readonly [WrongRequest, code: ErrorCode])[] = [
  [NO_KEY, 'api_key_missing'],
  [EMPTY_KEY, 'api_key_missing'],
  [UNKNOWN, 'api_key_invalid'],
  [UNKNOWN_BOTH, 'api_key_invalid'],
  [UNKNOWN_CLIENT, 'client_not_found'],
  [OTHER_CLIENT, 'api_key_invalid'],
];

function adviceFor([, , , advice]: WrongRequest): Pick<ContractRule, 'advice'> {
  return advice === undefined ? {} : { advice };
}

/** Sends a request with a wrong key or client. */
function sendWrong(
  deployment: Deployment,
  { request }: Endpoint,
  [, key, client]: WrongRequest,
): Promise<TextResponse> {
  const { apiKey, clientId, otherClientId } = deployment.target;
  if (client === 'other' && otherClientId === undefined)
    throw new NotApplicableError('no other client is known: pass --other-client-id');
  const keys = { none: undefined, empty: '', unknown: UNKNOWN_KEY, valid: apiKey };
  const unknown = `claimlink-check-unknown-${randomName()}`;
  const clients = { own: clientId, other: otherClientId, unknown };
  return request(deployment, keys[key], clients[client]);
}

/** The status and code of claimlink for a wrong request. */
function codeRule(endpoint: Endpoint, wrong: WrongRequest, code: ErrorCode): ContractRule {
  const [status] = ERRORS[code];
  return {
    name: `${endpoint.name} ${wrong[0]} is ${status} with the code ${code}`,
    ...adviceFor(wrong),
    sample: problemSample(code),
    check: async (deployment) => expectProblem(await sendWrong(deployment, endpoint, wrong), status, code),
  };
}

function challengeRule({ name, request }: Endpoint): ContractRule {
  return {
    name: `${name} that is 401 carries WWW-Authenticate: ApiKey`,
    sample: problemSample('api_key_missing'),
    async check(deployment) {
      for (const apiKey of [undefined, UNKNOWN_KEY]) {
        const response = await request(deployment, apiKey);
        expectStatus(response, 401);
        const actual = header(response, 'www-authenticate');
        expect(
          /^ApiKey\b/i.test(actual),
          response,
          actual || 'no WWW-Authenticate',
          'WWW-Authenticate: ApiKey',
        );
      }
    },
  };
}

/** Sends an invalid body without a key. It is not malformed JSON, which a parser of the host may reject first. */
function keyBeforeBody(name: string, headers: Readonly<Record<string, string>>, body: string): ContractRule {
  return {
    name,
    sample: problemSample('api_key_missing'),
    async check(deployment) {
      const url = deployment.linkPath();
      const response = await deployment.send({ method: 'POST', url, apiKey: undefined, headers, body });
      expectProblem(response, 401, 'api_key_missing');
    },
  };
}

export const authenticationSection: ContractSection = {
  section: 'Contract: Authentication, Errors',
  advice: 'Check x-api-key for the client of the path before anything else.',
  rules: [
    ...LISTING_STATUSES.map(
      ([wrong, status]): ContractRule => ({
        name: `a listing ${wrong[0]} is ${status}`,
        ...adviceFor(wrong),
        check: async (deployment) => expectStatus(await sendWrong(deployment, LISTING, wrong), status),
      }),
    ),
    ...LISTING_STATUSES.map(
      ([wrong, status]): ContractRule => ({
        name: `a link request ${wrong[0]} is rejected`,
        ...adviceFor(wrong),
        check: async (deployment) => expectRejection(await sendWrong(deployment, LINK, wrong), status),
      }),
    ),
  ],
};

export const decidedAuthenticationSection: ContractSection = {
  section: 'Decision: auth',
  advice: 'Check x-api-key before the request is validated, and return the status and code of the sample.',
  rules: [
    ...[LISTING, LINK].flatMap((endpoint) => [
      ...DECIDED_CODES.map(([wrong, code]) => codeRule(endpoint, wrong, code)),
      challengeRule(endpoint),
    ]),
    keyBeforeBody('the key is checked before the content type', { 'content-type': 'text/plain' }, 'x'),
    keyBeforeBody('the key is checked before the body', JSON_TYPE, '{}'),
    {
      name: 'the key is checked before the query',
      sample: problemSample('api_key_missing'),
      async check(deployment) {
        const url = `${deployment.listingPath()}?limit=0`;
        expectProblem(await deployment.send({ url, apiKey: undefined }), 401, 'api_key_missing');
      },
    },
  ],
};
