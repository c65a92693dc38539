// Control routes about links: listing them, and driving them without a browser.
import type { FastifyInstance } from 'fastify';
import { ClaimlinkError, type ClaimSubmission, isClaimlinkError } from '../../lib/index.js';
import type { LinkFilter, LinkState } from '../control.js';
import type { Mock } from '../mock.js';
import { invalidQuery, readBody, readQuery, scopeOf } from './control-query.js';

const STATES: readonly LinkState[] = ['created', 'opened', 'submitted', 'expired', 'revoked'];

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? undefined : 'must be a text');
const LINK_CHECKS = { url: text, id: text };
const SUBMIT_CHECKS = {
  ...LINK_CHECKS,
  claim: (value: unknown) => (typeof value === 'object' ? undefined : 'must be a claim, an object'),
};

interface NamedLink {
  url?: string;
  id?: string;
  claim?: ClaimSubmission;
}

/** Registers them. */
export function registerLinkRoutes(scope: FastifyInstance, { control }: Mock): void {
  scope.get('/__mock/links', ({ query }) => control.links(filterOf(query)));

  scope.post('/__mock/links/open', (request) => control.openLink(readName(request)));
  scope.post('/__mock/links/expire', (request) => control.expireLink(readName(request)));
  scope.post('/__mock/links/revoke', (request) => control.revokeLink(readName(request)));
  scope.post('/__mock/links/submit', ({ body, query }) => {
    readQuery(query, []);
    const link = readBody<NamedLink>(body, SUBMIT_CHECKS, 'a submission');
    return control.submitLink(nameOf(link), link.claim).catch((error: unknown) => {
      throw ofClaim(error);
    });
  });
}

function filterOf(query: unknown): LinkFilter {
  const { user, state, ...scope } = readQuery(query, ['client', 'user', 'state']);
  const known = STATES.find((each) => each === state);
  if (state !== undefined && known === undefined)
    throw invalidQuery([
      { parameter: 'state', rule: 'value', detail: `must be one of ${STATES.join(', ')}` },
    ]);
  return { ...scopeOf(scope), ...(user !== undefined && { userId: user }), ...(known && { state: known }) };
}

function readName({ body, query }: { body: unknown; query: unknown }): string {
  readQuery(query, []);
  return nameOf(readBody<NamedLink>(body, LINK_CHECKS, 'the name of a link'));
}

/** The claim is a part of the body here: pointers say so. */
function ofClaim(error: unknown): unknown {
  if (!isClaimlinkError(error) || error.code !== 'request_invalid') return error;
  const details = error.details?.map((problem) => ({
    ...problem,
    pointer: `/claim${problem.pointer ?? ''}`,
  }));
  return new ClaimlinkError('request_invalid', error.message, { ...(details && { details }) });
}

/** What it is named by. @throws `request_invalid` for none, and for both */
function nameOf({ url, id }: NamedLink): string {
  const name = url ?? id;
  if (name !== undefined && (url === undefined || id === undefined)) return name;
  const detail = 'is required, or else the id of the link, and not both';
  throw new ClaimlinkError('request_invalid', `The body is not valid: url ${detail}.`, {
    details: [{ pointer: '/url', rule: 'required', detail }],
  });
}
