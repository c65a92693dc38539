// Deployments with wrong submissions, and the rule that must detect each.
import { setImmediate } from 'node:timers/promises';
import type { AdminStorage, Storage } from '../../lib/index.js';
import {
  type BrokenDeployment,
  changeLinkRequests,
  changePolicies,
  changeRequest,
  changeResponse,
  changeSessions,
  changeStatus,
  isVerify,
  requestWith,
  withChanges,
  withJsonBody,
} from './interceptors.js';

const isSubmission = (request: Request) => isVerify(request) && request.method === 'POST';

interface SubmissionData {
  reference: string;
  redirectUrl: string;
  repeated?: boolean;
  unchanged?: boolean;
}

/** Changes `data` in the response to a claim. */
function changeSubmissionData(change: (data: SubmissionData) => object) {
  return changeResponse(isSubmission, async (response) => {
    if (response.status !== 200 || !response.headers.get('content-type')?.includes('json')) return response;
    const { data } = JSON.parse(await response.text());
    return withChanges(response, { body: JSON.stringify({ data: change(data) }) });
  });
}

function withSubmission(submitLink: (storage: AdminStorage) => Storage['submitLink']) {
  return { wrap: (storage: AdminStorage) => ({ ...storage, submitLink: submitLink(storage) }) };
}

/** Returns a date-time of a listing plus some hours. */
function shifted(value: string, hours: number): string {
  return new Date(new Date(`${value}Z`).getTime() + hours * 3_600_000).toISOString().slice(0, 16);
}

export const BROKEN_SUBMISSIONS: Record<string, BrokenDeployment> = {
  'returns 201 for a claim': {
    wrap: changeStatus(isSubmission, 200, 201),
    detectedBy: /^a claim posted as JSON is answered 200/,
  },
  'returns the session with the reference': {
    wrap: changeSubmissionData((data) => ({ ...data, session: {} })),
    detectedBy: /^a claim posted as JSON is answered 200/,
  },
  'returns no redirectUrl': {
    wrap: changeSubmissionData(({ reference }) => ({ reference })),
    detectedBy: /^a claim posted as JSON is answered 200/,
  },
  'returns another reference than the listing': {
    wrap: changeSubmissionData((data) => ({ ...data, reference: `X-${data.reference}` })),
    detectedBy: /^a submitted claim is one session in the listing/,
  },
  'does not store claims': {
    service: withSubmission(() => async ({ session }) => ({ outcome: 'submitted', session })),
    detectedBy: /^a submitted claim is one session in the listing/,
  },
  'lists submitted claims as open': {
    wrap: changeSessions((session) => ({ ...session, status: 'open' })),
    detectedBy: /^the session of a submitted claim has the status/,
  },
  'does not fill in holder.id': {
    wrap: changePolicies((policy) => ({ ...policy, holder: { ...policy.holder, id: '' } })),
    detectedBy: /^selectedPolicy has the values of the claim/,
  },
  'does not store the contacts of a claim': {
    wrap: changePolicies((policy) => ({ ...policy, linkedContacts: [] })),
    detectedBy: /^selectedPolicy has the values of the claim/,
  },
  'lists local time': {
    wrap: changeSessions((session) => ({ ...session, date: shifted(session.date, 2) })),
    detectedBy: /^createdAt and date are the times/,
  },
  'returns the time of submission as createdAt': {
    wrap: changeSessions((session) => ({
      ...session,
      createdAt: session.date,
      date: shifted(session.date, -0.1),
    })),
    detectedBy: /^createdAt and date are the times/,
  },
  'appends the reference to the callback': {
    wrap: changeSubmissionData((data) => ({
      ...data,
      redirectUrl: `${data.redirectUrl}&ref=${data.reference}`,
    })),
    detectedBy: /^redirectUrl is the callbackUrl as given/,
  },
  'does not fill in placeholders': {
    wrap: changeSubmissionData((data) => ({
      ...data,
      redirectUrl: data.redirectUrl.replace(data.reference, '{SESSION_REFERENCE}'),
    })),
    detectedBy: /^redirectUrl is the callbackUrl as given/,
  },
  'redirects with 302': {
    wrap: changeStatus(isSubmission, 303, 302),
    detectedBy: /^a form with callbackOnSubmit: true/,
  },
  'ignores callbackOnSubmit': {
    wrap: changeLinkRequests(({ callbackOnSubmit: _, ...body }) => body),
    detectedBy: /^a form with callbackOnSubmit: true/,
  },
  'redirects by default': {
    wrap: changeLinkRequests((body) => ({ callbackOnSubmit: true, ...body })),
    detectedBy: /^without callbackOnSubmit/,
  },
  'shows a success page without a link to the callback': {
    wrap: changeResponse(isSubmission, async (response) => {
      const isPage = response.headers.get('content-type')?.includes('html') && response.status === 200;
      return isPage ? withChanges(response, { body: '<p>Thank you.</p>' }) : response;
    }),
    detectedBy: /^a form with callbackOnSubmit: false/,
  },
  'answers every form with a page': {
    wrap: changeRequest(isSubmission, (request) => requestWith(request, { headers: { accept: undefined } })),
    detectedBy: /^a form sent with Accept: application\/json/,
  },
  'accepts an incomplete claim': {
    wrap: changeRequest(isSubmission, (request) =>
      withJsonBody(request, (claim) => ({ policy: { number: '?', ...(claim['policy'] as object) } })),
    ),
    detectedBy: /^a claim that is not complete is 400/,
  },
  'accepts an incident after today': {
    wrap: changeRequest(isSubmission, (request) =>
      withJsonBody(request, ({ incident: _, ...claim }) => claim),
    ),
    detectedBy: /^a claim with an incident after today/,
  },
  'returns 400 for a claim of another content type': {
    wrap: changeStatus(isSubmission, 415, 400),
    detectedBy: /^a claim of another content type/,
  },
  'creates a session for each submission': {
    service: withSubmission((storage) => async (submission) => {
      const { clientId, userId } = (await storage.findLink(submission))?.link ?? { clientId: '', userId: '' };
      await storage.insertSession({ clientId, userId, ...submission.session });
      return { outcome: 'submitted', session: submission.session };
    }),
    detectedBy: /^a repeated submission gets the first outcome/,
  },
  'reads the link before it writes the session': {
    service: withSubmission((storage) => async (submission) => {
      const stored = await storage.findLink(submission);
      await setImmediate();
      if (stored === undefined || stored.session !== undefined) return storage.submitLink(submission);
      const { clientId, userId } = stored.link;
      const first = await storage.submitLink(submission);
      if (first.outcome === 'already_submitted')
        await storage.insertSession({ clientId, userId, ...submission.session });
      return { outcome: 'submitted', session: submission.session };
    }),
    detectedBy: /^20 submissions at once/,
  },
  'answers a repeated claim as a new one': {
    wrap: changeSubmissionData(({ repeated: _, unchanged: __, ...data }) => data),
    detectedBy: /^a repeated submission says that it is one/,
  },
  'calls every repeated claim the stored one': {
    wrap: changeSubmissionData((data) => ({ ...data, ...(data.repeated && { unchanged: true }) })),
    detectedBy: /^a repeated submission says that it is one/,
  },
  'returns 409 for a second claim': {
    wrap: (service) => {
      const done = new Map<string, string>();
      return async (request) => {
        const { url } = request;
        const body = isSubmission(request) ? await request.clone().text() : '';
        const response = await service(request);
        const isOther = done.has(url) && done.get(url) !== body;
        if (body !== '' && response.status === 200) done.set(url, done.get(url) ?? body);
        return isOther && body !== '' ? withChanges(response, { status: 409 }) : response;
      };
    },
    detectedBy: /^a second submission with another claim/,
  },
};
