// Changes of one record: their work does not depend on how many records the client has.
import t, { type Test } from 'tap';
import { type OpenState, openState } from './set-up.js';

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
  'addSession without a reference': ({ state }) => state.addSession('demo', 'ada', {}),
  'addSession with a reference': ({ state }, number) =>
    state.addSession('demo', 'ada', { reference: `R-${number}` }),
  'addSession of another user': ({ state }, number) => state.addSession('demo', `user-${number}`, {}),
  'addSession with a change to come': ({ state }) => state.addSession('demo', 'ada', LATER),
  updateSession: ({ state }, number) => state.need('demo').updateSession('KEPT', { status: `s-${number}` }),
  expireLink: ({ state }, number) => {
    const [link] = state.links({ clientId: 'demo', state: 'created' });
    if (link === undefined) throw new Error(`There is no link ${number}.`);
    state.need('demo').expireLink(link.linkId);
  },
  updateClient: ({ state }, number) => state.updateClient('demo', { name: `Demo ${number}` }),
};

for (const [name, change] of Object.entries(CHANGES))
  t.test(`${name} does the same work with few and with ${MANY} sessions and links`, async (t) => {
    const open = await openState({ sessionCount: 3 });
    const { state, createLink } = open;
    state.setSessions('demo', 'ada', [{ reference: 'KEPT' }]);
    for (let number = 0; number < 3; number++) await createLink('demo', 'ada');
    // The first change measures the space, and generates what the later ones use.
    change(open, 1);
    const few = workOf(t, () => change(open, 2));
    for (let number = 0; number < MANY; number++) {
      state.addSession('demo', 'ada', {});
      await createLink('demo', 'ada');
    }
    change(open, 3);
    const many = workOf(t, () => change(open, 4));
    t.ok(many > 0 && many <= few, `${many} objects with many records, ${few} with few`);
  });
