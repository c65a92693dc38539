// A stored link that expires before its token: `expiresAt` of the link decides.
import t from 'tap';
import { createWorld, outcomeOf, START } from './world.js';

const WANTS_JSON = { accept: 'application/json' };
const TOKEN_SECONDS = 120;
const LINK_SECONDS = 60;

/** Creates a service whose storage returns links that expire before their token, as after an update by the host. */
function createWorldWithShortLinks() {
  return createWorld({
    linkTtlSeconds: TOKEN_SECONDS,
    wrapStorage: (storage) => ({
      ...storage,
      async findLink(id) {
        const stored = await storage.findLink(id);
        const expiresAt = new Date(START.getTime() + LINK_SECONDS * 1000);
        return stored && { ...stored, link: { ...stored.link, expiresAt } };
      },
    }),
  });
}

const MOMENTS: readonly [moment: string, milliseconds: number, outcome: string][] = [
  ['a millisecond before expiresAt', LINK_SECONDS * 1000 - 1, '200'],
  ['at expiresAt', LINK_SECONDS * 1000, '410 link_expired'],
  ['a millisecond after expiresAt', LINK_SECONDS * 1000 + 1, '410 link_expired'],
  ['a millisecond before the token expires', TOKEN_SECONDS * 1000 - 1, '410 link_expired'],
];

for (const [moment, milliseconds, outcome] of MOMENTS) {
  t.test(`opening a link that expires before its token is ${outcome} ${moment}`, async (t) => {
    const world = await createWorldWithShortLinks();
    const link = await world.mint();
    world.advance(milliseconds);
    t.equal(outcomeOf(await world.open(link, WANTS_JSON)), outcome);
  });
}
