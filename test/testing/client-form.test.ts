// The contract suite over a client with a form: what it may leave out, and what the suite cannot know.
import t from 'tap';
import { createFetchHandler } from '../../lib/adapters/fetch.js';
import type { ClientForm } from '../../lib/index.js';
import { createMemoryPhotoStore } from '../../lib/photos/memory.js';
import { createTickingService, runSuite, targetOf } from './deployment.js';

const TEXTS = { en: { label: 'x' } };

async function outcomesWith(form: ClientForm, { withoutCover = false } = {}) {
  const { claimlink } = await createTickingService({ photos: { store: createMemoryPhotoStore() } });
  const client = await claimlink.findClient('acme');
  if (client === undefined) throw new Error('The service has no client');
  await claimlink.updateClient({ ...client, settings: { form } });
  if (withoutCover) {
    const [session] = (await claimlink.listSessions('acme', 'user-1')).sessions;
    if (session === undefined) throw new Error('The user has no session');
    const selectedPolicy = { ...session.selectedPolicy, validFrom: '', validTo: '' };
    const reference = 'S-without-cover';
    await claimlink.addSession({ ...session, selectedPolicy, reference, clientId: 'acme', userId: 'user-1' });
  }
  return runSuite(targetOf(createFetchHandler(claimlink)));
}

t.test('a client that makes members optional, hides or requires some, passes', async (t) => {
  const outcomes = await outcomesWith({
    fields: {
      '/policy/number': 'optional',
      '/policy/vehicle/licensePlate': 'hidden',
      '/policy/holder/email': 'optional',
      '/incident/time': 'required',
      '/incident/place': 'required',
      '/incident/injured': 'required',
      '/incident/policeReference': 'required',
      '/incident/otherVehicle/licensePlate': 'required',
      '/incident/otherVehicle/insurer': 'required',
    },
    contacts: 'email_or_phone',
    noticeConfirmation: true,
  });
  t.same(
    outcomes
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ rule, message }) => `${rule.name}: ${message}`),
    [],
  );
});

t.test('rules that need a claim do not apply to a client with required questions, and say why', async (t) => {
  const outcomes = await outcomesWith({
    questions: [{ key: 'room', step: 'incident', kind: 'text', required: true, texts: TEXTS }],
  });
  t.same(
    outcomes
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ rule, message }) => `${rule.name}: ${message}`),
    [],
  );
  t.ok(
    outcomes.some(({ message }) =>
      /answers that the check cannot know \(pass --claim\): \/incident\/answers\/room/.test(String(message)),
    ),
  );
});

t.test('an empty day of the cover fails the contract, with the reason', async (t) => {
  const outcomes = await outcomesWith({}, { withoutCover: true });
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  t.same(
    failed.map(({ rule }) => rule.name),
    ['validFrom has the shape YYYY-MM-DD', 'validTo has the shape YYYY-MM-DD'],
  );
  for (const { message } of failed) t.match(message, /an empty text.*require it in the form of the client/);
});

t.test(
  'rules that need a claim do not apply to a client that requires a photo; they do if it is optional',
  async (t) => {
    for (const need of ['required', 'optional'] as const) {
      const outcomes = await outcomesWith({ photos: { need } });
      t.same(
        outcomes
          .filter(({ outcome }) => outcome === 'failed')
          .map(({ rule, message }) => `${rule.name}: ${message}`),
        [],
      );
      t.equal(
        outcomes.some(({ message }) =>
          /cannot know \(pass --claim\): \/incident\/photos$/.test(String(message)),
        ),
        need === 'required',
      );
    }
  },
);
