// Changes of one record: their work does not depend on how many records the client has.
import t, { type Test } from 'tap';
import { type OpenState, openState } from './set-up.js';

const ADA = { clientId: 'demo', userId: 'ada' };

/** Sessions and links before the second measurement. */
const MANY = 200;

/** Returns how many objects a call freezes and writes as JSON: each record that is copied, generated or measured is one. */
function workOf(t: Test, call: () => unknown): number {
  const freezes = t.capture(Object, 'freeze', Object.freeze);
  const texts = t.capture(JSON, 'stringify', JSON.stringify);
  call();
  const work = freezes().length + texts().length;
  freezes.restore();
  texts.restore();
  return work;
}

/** A change of one record, which a test can repeat. Each call changes another record, or the same one again. */
type Change = (open: OpenState, number: number) => unknown;

const LATER = { later: [{ after: '1 day', status: 'accepted' }] };

const CHANGES: Readonly<Record<string, Change>> = {
  'addSession without a reference': ({ state }) => state.methods.addSession({ ...ADA, session: {} }),
  'addSession with a reference': ({ state }, number) =>
    state.methods.addSession({ ...ADA, session: { reference: `R-${number}` } }),
  'addSession of another user': ({ state }, number) =>
    state.methods.addSession({ ...ADA, userId: `user-${number}`, session: {} }),
  'addSession with a change to come': ({ state }) => state.methods.addSession({ ...ADA, session: LATER }),
  updateSession: ({ state }, number) =>
    state.methods.updateSession({ clientId: 'demo', reference: 'KEPT', change: { status: `s-${number}` } }),
  expireLink: ({ state }, number) => {
    const [link] = state.methods.links({ clientId: 'demo', state: 'created' });
    if (link === undefined) throw new Error(`There is no link ${number}.`);
    state.methods.expireLink({ link: link.linkId });
  },
  updateClient: ({ state }, number) =>
    state.methods.updateClient({ clientId: 'demo', name: `Demo ${number}` }),
};

for (const [name, change] of Object.entries(CHANGES))
  t.test(`${name} does the same work with few and with ${MANY} sessions and links`, async (t) => {
    const open = await openState({ sessionCount: 3 });
    const { state, createLink } = open;
    state.methods.setSessions({ ...ADA, sessions: [{ reference: 'KEPT' }] });
    for (let number = 0; number < 3; number++) await createLink('demo', 'ada');
    // The first change measures the space, and generates what the later ones use.
    change(open, 1);
    const few = workOf(t, () => change(open, 2));
    for (let number = 0; number < MANY; number++) {
      state.methods.addSession({ ...ADA, session: {} });
      await createLink('demo', 'ada');
    }
    change(open, 3);
    const many = workOf(t, () => change(open, 4));
    t.ok(many > 0 && many <= few, `${many} objects with many records, ${few} with few`);
  });
