// Contract rules: who may ask. The same ones for both endpoints.
import type { Answer } from './client.js';
import { expect, expectProblem, expectStatus, header, NotApplicableError } from './expect.js';
import { JSON_TYPE, minimalLinkRequest } from './samples.js';
import { randomName } from './target.js';
import type { ContractRule, ContractSection, ContractWorld } from './world.js';

/** A key that nobody was given. */
const UNKNOWN_KEY = 'claimlink-check-unknown-key';

interface Endpoint {
  name: string;
  /** Asks with a key, of a client: the target's, unless told otherwise. */
  ask(world: ContractWorld, apiKey: string | undefined, clientId?: string): Promise<Answer>;
}

const LISTING: Endpoint = {
  name: 'a listing',
  ask: (world, apiKey, clientId) =>
    world.send({ url: world.listingPath(undefined, clientId), headers: JSON_TYPE, apiKey }),
};

const LINK: Endpoint = {
  name: 'a link request',
  ask: (world, apiKey, clientId) => {
    const { callbackUrl, userId } = world.target;
    const body = JSON.stringify(minimalLinkRequest(callbackUrl, userId));
    return world.send({ method: 'POST', url: world.linkPath(clientId), headers: JSON_TYPE, apiKey, body });
  },
};

function statusRules({ name, ask }: Endpoint): ContractRule[] {
  return [
    {
      name: `${name} without x-api-key is 401`,
      check: async (world) => expectStatus(await ask(world, undefined), 401),
    },
    {
      name: `${name} with an unknown key is 401`,
      check: async (world) => expectStatus(await ask(world, UNKNOWN_KEY), 401),
    },
    {
      name: `${name} for a client that does not exist, with a known key, is 404`,
      check: async (world) => expectStatus(await ask(world, world.target.apiKey, nobody()), 404),
    },
    {
      name: `${name} with a key of another client is 401`,
      async check(world) {
        const { apiKey, otherClientId } = world.target;
        if (otherClientId === undefined)
          throw new NotApplicableError('no other client is known: give --other-client-id');
        expectProblem(await ask(world, apiKey, otherClientId), 401, 'api_key_invalid');
      },
    },
  ];
}

function decidedRules({ name, ask }: Endpoint): ContractRule[] {
  return [
    {
      name: `${name} without x-api-key has the code api_key_missing`,
      check: async (world) => expectProblem(await ask(world, undefined), 401, 'api_key_missing'),
    },
    {
      name: `${name} with an empty x-api-key has the code api_key_missing`,
      check: async (world) => expectProblem(await ask(world, ''), 401, 'api_key_missing'),
    },
    {
      name: `${name} with an unknown key has the code api_key_invalid`,
      check: async (world) => expectProblem(await ask(world, UNKNOWN_KEY), 401, 'api_key_invalid'),
    },
    {
      name: `${name} with an unknown key is 401 for a client that does not exist, too`,
      check: async (world) => expectProblem(await ask(world, UNKNOWN_KEY, nobody()), 401, 'api_key_invalid'),
    },
    {
      name: `${name} for a client that does not exist has the code client_not_found`,
      check: async (world) =>
        expectProblem(await ask(world, world.target.apiKey, nobody()), 404, 'client_not_found'),
    },
    {
      name: `${name} that is 401 carries WWW-Authenticate: ApiKey`,
      async check(world) {
        for (const apiKey of [undefined, UNKNOWN_KEY]) {
          const answer = await ask(world, apiKey);
          const seen = header(answer, 'www-authenticate');
          expect(/^ApiKey\b/i.test(seen), answer.title, seen || 'no WWW-Authenticate', 'ApiKey');
        }
      },
    },
  ];
}

function nobody(): string {
  return `claimlink-check-nobody-${randomName()}`;
}

/** Sends a body that is wrong, without a key. Not as malformed JSON: a parser of the host's would answer that. */
function keyBeforeBody(name: string, headers: Readonly<Record<string, string>>, body: string): ContractRule {
  return {
    name,
    async check(world) {
      const url = world.linkPath();
      const answer = await world.send({ method: 'POST', url, apiKey: undefined, headers, body });
      expectProblem(answer, 401, 'api_key_missing');
    },
  };
}

export const authenticationSection: ContractSection = {
  section: 'Contract: Authentication, Errors',
  rules: [...statusRules(LISTING), ...statusRules(LINK)],
};

export const decidedAuthenticationSection: ContractSection = {
  section: 'Decision: auth',
  rules: [
    ...decidedRules(LISTING),
    ...decidedRules(LINK),
    keyBeforeBody(
      'the key is asked for before the content type is looked at',
      { 'content-type': 'text/plain' },
      'x',
    ),
    keyBeforeBody('the key is asked for before the body is looked at', JSON_TYPE, '{}'),
    {
      name: 'the key is asked for before the query is looked at',
      async check(world) {
        const url = `${world.listingPath()}?limit=0`;
        expectProblem(await world.send({ url, apiKey: undefined }), 401, 'api_key_missing');
      },
    },
  ],
};
