// Rules about authentication, the same for both endpoints.
import type { TextResponse } from './client.js';
import type { ContractRule, ContractSection, Deployment } from './deployment.js';
import { expect, expectProblem, expectStatus, header, NotApplicableError } from './expect.js';
import { JSON_TYPE, minimalLinkRequest } from './samples.js';
import { randomName } from './target.js';

/** A key that the deployment never issued. */
const UNKNOWN_KEY = 'claimlink-check-unknown-key';

interface Endpoint {
  name: string;
  /** Sends a request with this key. Default: the client of the target. */
  ask(deployment: Deployment, apiKey: string | undefined, clientId?: string): Promise<TextResponse>;
}

const LISTING: Endpoint = {
  name: 'a listing',
  ask: (deployment, apiKey, clientId) =>
    deployment.send({ url: deployment.listingPath(undefined, clientId), headers: JSON_TYPE, apiKey }),
};

const LINK: Endpoint = {
  name: 'a link request',
  ask: (deployment, apiKey, clientId) => {
    const { callbackUrl, userId } = deployment.target;
    const body = JSON.stringify(minimalLinkRequest(callbackUrl, userId));
    return deployment.send({
      method: 'POST',
      url: deployment.linkPath(clientId),
      headers: JSON_TYPE,
      apiKey,
      body,
    });
  },
};

function statusRules({ name, ask }: Endpoint): ContractRule[] {
  return [
    {
      name: `${name} without x-api-key is 401`,
      check: async (deployment) => expectStatus(await ask(deployment, undefined), 401),
    },
    {
      name: `${name} with an unknown key is 401`,
      check: async (deployment) => expectStatus(await ask(deployment, UNKNOWN_KEY), 401),
    },
    {
      name: `${name} for a client that does not exist, with a known key, is 404`,
      check: async (deployment) =>
        expectStatus(await ask(deployment, deployment.target.apiKey, unknownClient()), 404),
    },
    {
      name: `${name} with a key of another client is 401`,
      async check(deployment) {
        const { apiKey, otherClientId } = deployment.target;
        if (otherClientId === undefined)
          throw new NotApplicableError('no other client is known: pass --other-client-id');
        expectProblem(await ask(deployment, apiKey, otherClientId), 401, 'api_key_invalid');
      },
    },
  ];
}

function decidedRules({ name, ask }: Endpoint): ContractRule[] {
  return [
    {
      name: `${name} without x-api-key has the code api_key_missing`,
      check: async (deployment) => expectProblem(await ask(deployment, undefined), 401, 'api_key_missing'),
    },
    {
      name: `${name} with an empty x-api-key has the code api_key_missing`,
      check: async (deployment) => expectProblem(await ask(deployment, ''), 401, 'api_key_missing'),
    },
    {
      name: `${name} with an unknown key has the code api_key_invalid`,
      check: async (deployment) => expectProblem(await ask(deployment, UNKNOWN_KEY), 401, 'api_key_invalid'),
    },
    {
      name: `${name} with an unknown key is 401 also for a client that does not exist`,
      check: async (deployment) =>
        expectProblem(await ask(deployment, UNKNOWN_KEY, unknownClient()), 401, 'api_key_invalid'),
    },
    {
      name: `${name} for a client that does not exist has the code client_not_found`,
      check: async (deployment) =>
        expectProblem(
          await ask(deployment, deployment.target.apiKey, unknownClient()),
          404,
          'client_not_found',
        ),
    },
    {
      name: `${name} that is 401 carries WWW-Authenticate: ApiKey`,
      async check(deployment) {
        for (const apiKey of [undefined, UNKNOWN_KEY]) {
          const response = await ask(deployment, apiKey);
          const seen = header(response, 'www-authenticate');
          expect(/^ApiKey\b/i.test(seen), response.title, seen || 'no WWW-Authenticate', 'ApiKey');
        }
      },
    },
  ];
}

function unknownClient(): string {
  return `claimlink-check-unknown-${randomName()}`;
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
  rules: [...statusRules(LISTING), ...statusRules(LINK)],
};

export const decidedAuthenticationSection: ContractSection = {
  section: 'Decision: auth',
  advice: 'Check x-api-key before the request is validated, and return the documented code.',
  rules: [
    ...decidedRules(LISTING),
    ...decidedRules(LINK),
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
