// The dashboard's routes: the page itself, and the form that makes a link.
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type Claimlink,
  ClaimlinkError,
  isClaimlinkError,
  type LinkRequest,
  type PolicyPrefill,
  type SelectedPolicy,
  STEP_KEYS,
} from '../lib/index.js';
import { dashboardPage, type LinkForm } from './dashboard-page.js';
import { linkPage } from './link-page.js';
import type { MockClientOptions } from './options.js';
import { sendPage } from './page.js';
import type { World } from './world.js';

/** Sessions on one page of the dashboard. */
const PAGE_SIZE = 25;

/** What to show: a user's page, or the same with a form that was not accepted. */
interface Shown {
  clientId: string | null;
  userId: string;
  cursor?: string | undefined;
  form?: LinkForm;
  problem?: ClaimlinkError;
}

/** Registers the dashboard on a scope that has the guard. */
export function registerDashboard(scope: FastifyInstance, world: World & { claimlink: Claimlink }): void {
  const { claimlink, clients, samples } = world;

  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );

  scope.get('/', (request, reply) => {
    const query = new URLSearchParams((request.raw.url ?? '').split('?')[1]);
    const userId = query.get('user') || (world.userIds[0] ?? '');
    return sendDashboard(reply, {
      clientId: query.get('client'),
      userId,
      cursor: query.get('cursor') ?? undefined,
    });
  });

  scope.post('/__mock/links', async (request, reply) => {
    const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const clientId = fields.get('client');
    const form: LinkForm = {
      userId: fields.get('user') ?? '',
      callbackUrl: fields.get('callbackUrl') ?? '',
      callbackOnSubmit: fields.has('callbackOnSubmit'),
      initialStepKey: STEP_KEYS.find((key) => key === fields.get('initialStepKey')),
    };
    try {
      const client = findClient(clientId);
      const linkRequest = await toLinkRequest(client, form);
      const { url, expiresAt } = await claimlink.createLink(client.clientId, linkRequest);
      return sendPage(reply, 200, linkPage({ client, userId: form.userId, url, expiresAt, linkRequest }));
    } catch (error) {
      return sendDashboard(reply, { clientId, userId: form.userId, form, problem: toProblem(error) });
    }
  });

  async function sendDashboard(reply: FastifyReply, shown: Shown): Promise<FastifyReply> {
    const { clientId, userId, cursor, form } = shown;
    let { problem } = shown;
    const client = clients.find((known) => known.clientId === clientId) ?? findClient(null);
    const listing = await listSessions(clientId, userId, cursor).catch((error: unknown) => {
      problem ??= toProblem(error);
      return undefined;
    });
    const page = dashboardPage({
      ...world,
      root: form ? '../' : './',
      problem,
      client,
      userId,
      listing,
      isFirstPage: cursor === undefined,
      form: form ?? {
        userId,
        callbackUrl: samples.callbackUrl(client),
        callbackOnSubmit: false,
        initialStepKey: undefined,
      },
    });
    return sendPage(reply, problem?.statusCode ?? 200, page);
  }

  function listSessions(clientId: string | null, userId: string, cursor: string | undefined) {
    const page = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    return Promise.resolve().then(() => claimlink.listSessions(findClient(clientId).clientId, userId, page));
  }

  function findClient(clientId: string | null): MockClientOptions {
    const client = clientId === null ? clients[0] : clients.find((known) => known.clientId === clientId);
    if (client === undefined) throw new ClaimlinkError('client_not_found');
    return client;
  }

  /** The form's link request, prefilled with the policy of the user's newest session. */
  async function toLinkRequest(client: MockClientOptions, form: LinkForm): Promise<LinkRequest> {
    const { userId, callbackUrl, callbackOnSubmit, initialStepKey } = form;
    const { sessions } = await claimlink.listSessions(client.clientId, userId, { limit: 1 });
    const policy = sessions[0]?.selectedPolicy;
    return {
      callbackUrl,
      callbackOnSubmit,
      config: {
        ...samples.linkRequest(client, userId).config,
        ...(policy && { policy: toPrefill(policy) }),
        ...(initialStepKey && { initialStepKey }),
        privacyPolicyUrl: 'https://example.com/privacy',
      },
    };
  }
}

/** A policy as a link request documents it: without the holder's id. */
function toPrefill({ holder, ...policy }: SelectedPolicy): PolicyPrefill {
  const { id: _, ...person } = holder;
  return { ...policy, holder: person };
}

/** What may be shown of an error; anything but a refusal goes on to the error handler. */
function toProblem(error: unknown): ClaimlinkError {
  if (isClaimlinkError(error) && error.statusCode < 500) return error;
  throw error;
}
