// Rules about authentication, the same for both endpoints.

import type { Deployment } from './deployment.js';
import { expect, expectProblem, expectStatus, header, NotApplicableError } from './expect.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
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

/** A request with a wrong key or client, and the expected error. */
type Refusal = readonly [what: string, key: Key, client: ClientOfPath, status: number, code?: string];

const CONTRACT_REFUSALS: readonly Refusal[] = [
  ['without x-api-key is 401', 'none', 'own', 401],
  ['with an unknown key is 401', 'unknown', 'own', 401],
  ['for a client that does not exist, with a known key, is 404', 'valid', 'unknown', 404],
  ['with a key of another client is 401', 'valid', 'other', 401, 'api_key_invalid'],
];

const DECIDED_REFUSALS: readonly Refusal[] = [
  ['without x-api-key has the code api_key_missing', 'none', 'own', 401, 'api_key_missing'],
  ['with an empty x-api-key has the code api_key_missing', 'empty', 'own', 401, 'api_key_missing'],
  ['with an unknown key has the code api_key_invalid', 'unknown', 'own', 401, 'api_key_invalid'],
  [
    'with an unknown key is 401 also for a client that does not exist',
    'unknown',
    'unknown',
    401,
    'api_key_invalid',
  ],
  [
    'for a client that does not exist has the code client_not_found',
    'valid',
    'unknown',
    404,
    'client_not_found',
  ],
];

function refusalRules({ name, request }: Endpoint, refusals: readonly Refusal[]): ContractRule[] {
  return refusals.map(([what, key, client, status, code]) => ({
    name: `${name} ${what}`,
    async check(deployment) {
      const { apiKey, clientId, otherClientId } = deployment.target;
      if (client === 'other' && otherClientId === undefined)
        throw new NotApplicableError('no other client is known: pass --other-client-id');
      const keys = { none: undefined, empty: '', unknown: UNKNOWN_KEY, valid: apiKey };
      const unknown = `claimlink-check-unknown-${randomName()}`;
      const clients = { own: clientId, other: otherClientId, unknown };
      const response = await request(deployment, keys[key], clients[client]);
      if (code === undefined) expectStatus(response, status);
      else expectProblem(response, status, code);
    },
  }));
}

function challengeRule({ name, request }: Endpoint): ContractRule {
  return {
    name: `${name} that is 401 carries WWW-Authenticate: ApiKey`,
    async check(deployment) {
      for (const apiKey of [undefined, UNKNOWN_KEY]) {
        const response = await request(deployment, apiKey);
        const seen = header(response, 'www-authenticate');
        expect(/^ApiKey\b/i.test(seen), response, seen || 'no WWW-Authenticate', 'ApiKey');
      }
    },
  };
}

/** Sends an invalid body without a key. It is not malformed JSON, which a parser of the host may refuse first. */
function keyBeforeBody(name: string, headers: Readonly<Record<string, string>>, body: string): ContractRule {
  return {
    name,
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
  rules: [LISTING, LINK].flatMap((endpoint) => refusalRules(endpoint, CONTRACT_REFUSALS)),
};

export const decidedAuthenticationSection: ContractSection = {
  section: 'Decision: auth',
  advice: 'Check x-api-key before the request is validated, and return the documented code.',
  rules: [
    ...[LISTING, LINK].flatMap((endpoint) => [
      ...refusalRules(endpoint, DECIDED_REFUSALS),
      challengeRule(endpoint),
    ]),
    keyBeforeBody('the key is checked before the content type', { 'content-type': 'text/plain' }, 'x'),
    keyBeforeBody('the key is checked before the body', JSON_TYPE, '{}'),
    {
      name: 'the key is checked before the query',
      async check(deployment) {
        const url = `${deployment.listingPath()}?limit=0`;
        expectProblem(await deployment.send({ url, apiKey: undefined }), 401, 'api_key_missing');
      },
    },
  ],
};
