// The dashboard's routes: the page, and one route for each action of its forms.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ClaimlinkError, isClaimlinkError, type PageRequest, type SessionPage } from '../../lib/index.js';
import type { MockClientOptions } from '../options.js';
import { ACTIONS } from './dashboard-actions.js';
import { tidyFields } from './dashboard-link-fields.js';
import { dashboardPage } from './dashboard-page.js';
import { type DashboardDeps, type DashboardView, pageHref, type RefusedForm } from './dashboard-view.js';
import { sendPage } from './page.js';

/** Sessions on one page of the dashboard. */
const PAGE_SIZE = 25;

/** Which page to show: what its query says, or the same with a form that was not accepted. */
interface Shown {
  /** null: the first client. */
  clientId: string | null;
  /** Empty: the client's first user. */
  userId: string;
  cursor?: string | undefined;
  isForAll: boolean;
  made?: string | undefined;
  refused?: RefusedForm;
}

/** Registers the dashboard on a scope that has the guard. */
export function registerDashboard(scope: FastifyInstance, deps: DashboardDeps): void {
  const { claimlink, control } = deps;

  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );

  scope.get('/', (request, reply) => {
    const query = new URLSearchParams((request.raw.url ?? '').split('?')[1]);
    return sendDashboard(reply, {
      clientId: query.get('client'),
      userId: query.get('user') ?? '',
      cursor: query.get('cursor') ?? undefined,
      isForAll: query.get('scope') === 'all',
      made: query.get('made') ?? undefined,
    });
  });

  for (const [action, act] of Object.entries(ACTIONS)) {
    scope.post(`/__mock/dashboard/${action}`, async (request, reply) => {
      const typed = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const fields = action === 'make-link' ? tidyFields(typed) : typed;
      const clientId = fields.get('client');
      const userId = fields.get('user') ?? '';
      const isForAll = fields.get('scope') === 'all';
      try {
        const client = findClient(clientId);
        const actionScope = isForAll ? {} : { clientId: client.clientId };
        const next = await act({ deps, client, userId, scope: actionScope, fields });
        const state = { client: client.clientId, user: userId, isForAll, ...next };
        const isThere = deps.findClient(state.client) !== undefined;
        return reply.redirect(isThere ? pageHref('../../', state) : '../../', 303);
      } catch (error) {
        const refused = { action, fields, problem: toProblem(error) };
        return sendDashboard(reply, { clientId, userId, isForAll, refused });
      }
    });
  }

  async function sendDashboard(reply: FastifyReply, shown: Shown): Promise<FastifyReply> {
    const { cursor, isForAll, refused } = shown;
    let problem = refused?.problem;
    const client = clientOrFirst(shown.clientId);
    if (shown.clientId !== null && shown.clientId !== client.clientId)
      problem ??= new ClaimlinkError('client_not_found');
    const known = control.clients.find(({ clientId }) => clientId === client.clientId);
    const userId = shown.userId || (known?.userIds[0] ?? '');

    let listing: SessionPage | undefined;
    let newest: SessionPage | undefined;
    let listingProblem: string | undefined;
    try {
      listing = await listSessions(client, userId, {
        limit: PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
      });
      if (cursor !== undefined) newest = await listSessions(client, userId, { limit: 1 });
    } catch (error) {
      if (!isMagic(error)) problem ??= toProblem(error);
      else listingProblem = error.message;
    }
    const view: DashboardView = {
      ...deps,
      root: refused ? '../../' : './',
      client,
      userIds: known?.userIds ?? [],
      userId,
      cursor,
      isForAll,
      listing,
      listingProblem,
      policy: (cursor === undefined ? listing : newest)?.sessions[0]?.selectedPolicy,
      madeLink:
        shown.made === undefined
          ? undefined
          : control.links({ clientId: client.clientId }).find(({ id }) => id === shown.made),
      problem,
      refused,
    };
    return sendPage(reply, problem?.statusCode ?? 200, dashboardPage(view));
  }

  function listSessions(client: MockClientOptions, userId: string, page: PageRequest) {
    return claimlink.listSessions(client.clientId, userId, page);
  }

  function findClient(clientId: string | null): MockClientOptions {
    const wanted = clientId ?? control.clients[0]?.clientId ?? '';
    const client = deps.findClient(wanted);
    if (client === undefined) throw new ClaimlinkError('client_not_found');
    return client;
  }

  function clientOrFirst(clientId: string | null): MockClientOptions {
    return (clientId === null ? undefined : deps.findClient(clientId)) ?? findClient(null);
  }
}

/** What may be shown of an error; anything but a refusal goes on to the error handler. */
function toProblem(error: unknown): ClaimlinkError {
  if (isClaimlinkError(error) && error.statusCode < 500) return error;
  if (isMagic(error)) return new ClaimlinkError('internal', error.message);
  throw error;
}

/** Whether a magic user fails as it is meant to. */
function isMagic(error: unknown): error is Error {
  return error instanceof Error && error.name === 'MagicUserError';
}
