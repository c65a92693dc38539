// Deployments with wrong submissions, each with the rule of the contract suite that is about it.
import { setImmediate } from 'node:timers/promises';
import type { AdminStorage, Storage } from '../../lib/index.js';
import {
  altered,
  answering,
  asking,
  type BrokenDeployment,
  isLinkRequest,
  isVerify,
  policies,
  rewritten,
  sessions,
  statuses,
} from './spoil.js';

const isSubmission = (request: Request) => isVerify(request) && request.method === 'POST';

/** Spoils `data` of an answer to a claim. */
function outcomes(spoil: (data: { reference: string; redirectUrl: string }) => object) {
  return answering(isSubmission, async (response) => {
    if (response.status !== 200 || !response.headers.get('content-type')?.includes('json')) return response;
    const { data } = JSON.parse(await response.text());
    return altered(response, { body: JSON.stringify({ data: spoil(data) }) });
  });
}

function withSubmission(submitLink: (storage: AdminStorage) => Storage['submitLink']) {
  return { wrap: (storage: AdminStorage) => ({ ...storage, submitLink: submitLink(storage) }) };
}

/** The date-time of a listing, some hours later. */
function shifted(value: string, hours: number): string {
  return new Date(new Date(`${value}Z`).getTime() + hours * 3_600_000).toISOString().slice(0, 16);
}

export const BROKEN_SUBMISSIONS: Record<string, BrokenDeployment> = {
  'answers a claim with 201': {
    wrap: statuses(isSubmission, 200, 201),
    caughtBy: /^a claim posted as JSON is answered 200/,
  },
  'answers the whole session': {
    wrap: outcomes((data) => ({ ...data, session: {} })),
    caughtBy: /^a claim posted as JSON is answered 200/,
  },
  'does not say where to go': {
    wrap: outcomes(({ reference }) => ({ reference })),
    caughtBy: /^a claim posted as JSON is answered 200/,
  },
  'gives another reference than it lists': {
    wrap: outcomes((data) => ({ ...data, reference: `X-${data.reference}` })),
    caughtBy: /^a submitted claim is one session in the listing/,
  },
  'loses claims': {
    service: withSubmission(() => async ({ session }) => ({ outcome: 'submitted', session })),
    caughtBy: /^a submitted claim is one session in the listing/,
  },
  'lists submitted claims as open': {
    wrap: sessions((session) => ({ ...session, status: 'open' })),
    caughtBy: /^the session of a submitted claim has the status/,
  },
  'does not say whose claim it is': {
    wrap: policies((policy) => ({ ...policy, holder: { ...policy.holder, id: '' } })),
    caughtBy: /^selectedPolicy is what the claim said/,
  },
  'forgets the contacts of a claim': {
    wrap: policies((policy) => ({ ...policy, linkedContacts: [] })),
    caughtBy: /^selectedPolicy is what the claim said/,
  },
  'lists local time': {
    wrap: sessions((session) => ({ ...session, date: shifted(session.date, 2) })),
    caughtBy: /^createdAt and date are the moments/,
  },
  'mixes up opening and submission': {
    wrap: sessions((session) => ({ ...session, createdAt: session.date, date: shifted(session.date, -0.1) })),
    caughtBy: /^createdAt and date are the moments/,
  },
  'appends the reference to the callback': {
    wrap: outcomes((data) => ({ ...data, redirectUrl: `${data.redirectUrl}&ref=${data.reference}` })),
    caughtBy: /^redirectUrl is the callbackUrl as given/,
  },
  'leaves placeholders as they are': {
    wrap: outcomes((data) => ({
      ...data,
      redirectUrl: data.redirectUrl.replace(data.reference, '{SESSION_REFERENCE}'),
    })),
    caughtBy: /^redirectUrl is the callbackUrl as given/,
  },
  'redirects with 302': {
    wrap: statuses(isSubmission, 303, 302),
    caughtBy: /^a form with callbackOnSubmit: true/,
  },
  'never redirects at once': {
    wrap: asking(isLinkRequest, (request) => rewritten(request, ({ callbackOnSubmit: _, ...body }) => body)),
    caughtBy: /^a form with callbackOnSubmit: true/,
  },
  'redirects by default': {
    wrap: asking(isLinkRequest, (request) =>
      rewritten(request, (body) => ({ callbackOnSubmit: true, ...body })),
    ),
    caughtBy: /^without callbackOnSubmit/,
  },
  'leaves users on the success page': {
    wrap: answering(isSubmission, async (response) => {
      const isPage = response.headers.get('content-type')?.includes('html') && response.status === 200;
      return isPage ? altered(response, { body: '<p>Thank you.</p>' }) : response;
    }),
    caughtBy: /^a form with callbackOnSubmit: false/,
  },
  'answers forms with pages only': {
    wrap: asking(isSubmission, async (request) => {
      const headers = new Headers(request.headers);
      headers.delete('accept');
      return new Request(request.url, { method: 'POST', headers, body: await request.text() });
    }),
    caughtBy: /^a form sent with Accept: application\/json/,
  },
  'takes half a claim': {
    wrap: asking(isSubmission, (request) =>
      rewritten(request, (claim) => ({ policy: { number: '?', ...(claim['policy'] as object) } })),
    ),
    caughtBy: /^a claim that is not complete is 400/,
  },
  'takes claims of any type': {
    wrap: statuses(isSubmission, 415, 400),
    caughtBy: /^a claim of another content type/,
  },
  'creates a session for each submission': {
    service: withSubmission((storage) => async (submission) => {
      const { clientId, userId } = (await storage.findLink(submission))?.link ?? { clientId: '', userId: '' };
      await storage.insertSession({ clientId, userId, ...submission.session });
      return { outcome: 'submitted', session: submission.session };
    }),
    caughtBy: /^a repeated submission gets the first outcome/,
  },
  'looks first and writes later': {
    service: withSubmission((storage) => async (submission) => {
      const found = await storage.findLink(submission);
      await setImmediate();
      if (found === undefined || found.session !== undefined) return storage.submitLink(submission);
      const { clientId, userId } = found.link;
      const first = await storage.submitLink(submission);
      if (first.outcome === 'already_submitted')
        await storage.insertSession({ clientId, userId, ...submission.session });
      return { outcome: 'submitted', session: submission.session };
    }),
    caughtBy: /^20 submissions at once/,
  },
  'tells a second claim that it was wrong': {
    wrap: (good) => {
      const done = new Map<string, string>();
      return async (request) => {
        const { url } = request;
        const body = isSubmission(request) ? await request.clone().text() : '';
        const response = await good(request);
        const isOther = done.has(url) && done.get(url) !== body;
        if (body !== '' && response.status === 200) done.set(url, done.get(url) ?? body);
        return isOther && body !== '' ? altered(response, { status: 409 }) : response;
      };
    },
    caughtBy: /^a second submission with another claim/,
  },
};
