// Rules about headers of responses.

import type { Deployment } from './deployment.js';
import { expect, header } from './expect.js';
import type { TextResponse } from './response.js';
import type { ContractRule, ContractSection } from './rule.js';
import { WANTS_PAGE } from './samples.js';

type SendRequest = (deployment: Deployment) => Promise<TextResponse>;

/** A header that a response must have, with a pattern for its value. */
export type ExpectedHeader = readonly [name: string, value: string, pattern: Pick<RegExp, 'test'>];

/** Returns a rule for each header of a response. */
export function headerRules(
  subject: string,
  send: SendRequest,
  headers: readonly ExpectedHeader[],
): ContractRule[] {
  return headers.map(([name, value, pattern]) => ({
    name: `${subject} has ${name}: ${value}`,
    async check(deployment) {
      const response = await send(deployment);
      const actual = header(response, name);
      expect(pattern.test(actual), response, actual || `no ${name}`, `${name}: ${value}`);
    },
  }));
}

const EVERY_RESPONSE: readonly ExpectedHeader[] = [
  ['Cache-Control', 'no-store', /\bno-store\b/i],
  ['X-Content-Type-Options', 'nosniff', /^nosniff$/i],
];

const REQUESTS: Readonly<Record<string, SendRequest>> = {
  'a listing': (deployment) => deployment.getListing(),
  'a link': (deployment) => deployment.postLink(deployment.linkRequest()),
  'a 401': (deployment) => deployment.send({ url: deployment.listingPath(), apiKey: undefined }),
  'a 400': (deployment) => deployment.postLink({}),
  'the page of a link': async (deployment) =>
    deployment.open(await deployment.createOpenableLink(), WANTS_PAGE),
  'a submission': async (deployment) => (await deployment.sharedSubmission()).response,
};

export const headerSection: ContractSection = {
  section: 'Decision: headers',
  advice: 'Send the header from the deployment, and do not remove it in a proxy.',
  rules: Object.entries(REQUESTS).flatMap(([subject, send]) => headerRules(subject, send, EVERY_RESPONSE)),
};
