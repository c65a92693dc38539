// A stored link that expires before its token: `expiresAt` of the link decides.
import t from 'tap';
import { createLinkSigner } from '../../lib/core/link-signer.js';
import { createWorld, outcomeOf, PUBLIC_URL, SECRET, START, type WorldOptions } from './world.js';

const WANTS_JSON = { accept: 'application/json' };
const TOKEN_SECONDS = 120;
const LINK_SECONDS = 60;

/** Creates a service whose storage returns links that expire before their token, as after an update by the host. */
function createWorldWithShortLinks(options: WorldOptions = {}) {
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
    ...options,
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

const TOLERANCE_SECONDS = 30;

for (const [moment, seconds] of [
  ['at expiresAt', LINK_SECONDS],
  ['within the tolerance after expiresAt', LINK_SECONDS + TOLERANCE_SECONDS - 1],
  ['at the expiry of the token', TOKEN_SECONDS],
  ['within the tolerance after the token expired', TOKEN_SECONDS + TOLERANCE_SECONDS - 1],
] as const) {
  t.test(
    `the clock tolerance does not extend a link that expires before its token: 410 ${moment}`,
    async (t) => {
      const signer = createLinkSigner({
        keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }],
        issuer: PUBLIC_URL,
        clockToleranceSeconds: TOLERANCE_SECONDS,
      });
      const world = await createWorldWithShortLinks({ signer });
      const link = await world.mint();
      world.advance(seconds * 1000);
      t.equal(outcomeOf(await world.open(link, WANTS_JSON)), '410 link_expired');
      t.equal(outcomeOf(await world.submitJson(link)), '410 link_expired');
    },
  );
}

t.test(
  'within the tolerance, a link that expires after its token is opened at the current time',
  async (t) => {
    const signer = createLinkSigner({
      keys: [{ kid: 'k1', algorithm: 'HS256', secret: SECRET }],
      issuer: PUBLIC_URL,
      clockToleranceSeconds: TOLERANCE_SECONDS,
    });
    const world = await createWorld({
      signer,
      linkTtlSeconds: TOKEN_SECONDS,
      wrapStorage: (storage) => ({
        ...storage,
        async findLink(id) {
          const stored = await storage.findLink(id);
          const expiresAt = new Date(START.getTime() + 2 * TOKEN_SECONDS * 1000);
          return stored && { ...stored, link: { ...stored.link, expiresAt } };
        },
      }),
    });
    const { accessCode, token } = await world.mint();
    world.advance((TOKEN_SECONDS + 1) * 1000);
    t.same((await world.claimlink.openLink(accessCode, token)).openedAt, world.now());
  },
);
