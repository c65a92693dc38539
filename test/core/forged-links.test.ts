// Forged links and links of other services: rejected before the storage is touched, all with the same response.
import t from 'tap';
import type { AdminStorage, Storage } from '../../lib/core/storage.js';
import { createWorld, type MintedLink, outcomeOf, problemOf, START, type World } from './world.js';

const JSON_WANTED = { accept: 'application/json' };

type Forgery = (world: World, link: MintedLink) => Promise<string> | string;

const FORGERIES: Record<string, [outcome: string, forge: Forgery]> = {
  'no token': ['404 link_not_found', (_, { accessCode }) => `/verify/${accessCode}`],
  'an empty token': ['404 link_not_found', (_, { accessCode }) => `/verify/${accessCode}?token=`],
  'two tokens': ['400 request_invalid', (_, { target, token }) => `${target}&token=${token}`],
  'an altered token': ['404 link_not_found', (_, { target }) => `${target.slice(0, -4)}AAAA`],
  'the token of another link': [
    '404 link_not_found',
    async (world, { accessCode }) => `/verify/${accessCode}?token=${(await world.mint()).token}`,
  ],
  'a made-up access code': [
    '404 link_not_found',
    (_, { token }) => `/verify/${'A'.repeat(22)}?token=${token}`,
  ],
  'an access code of 101 characters': [
    '404 link_not_found',
    (_, { token }) => `/verify/${'a'.repeat(101)}?token=${token}`,
  ],
  'the code in another case': [
    '404 link_not_found',
    (_, { accessCode, token }) => `/verify/${flipCase(accessCode)}?token=${token}`,
  ],
  'the code percent-encoded': [
    '404 link_not_found',
    (_, { accessCode, token }) =>
      `/verify/%${accessCode.charCodeAt(0).toString(16)}${accessCode.slice(1)}?token=${token}`,
  ],
  'a malformed escape': ['404 link_not_found', (_, { token }) => `/verify/%ZZ?token=${token}`],
  'the expired token of another link': [
    '410 link_expired',
    async (world, { accessCode }) => {
      const { token } = await world.mint();
      world.advance(86_400_000);
      return `/verify/${accessCode}?token=${token}`;
    },
  ],
};

for (const [what, [outcome, forge]] of Object.entries(FORGERIES)) {
  for (const method of ['GET', 'POST']) {
    t.test(`${method} with ${what} is ${outcome}, and the storage is never touched`, async (t) => {
      const minting = await createWorld();
      const target = await forge(minting, await minting.mint());
      const guarded = await createWorld({ wrapStorage: untouchable, now: minting.now });
      const headers = { ...JSON_WANTED, 'content-type': 'application/json' };
      t.equal(outcomeOf(await guarded.send(method, target, { headers, body: '{}' })), outcome);
      t.equal(guarded.errors.length, 0);
    });
  }
}

t.test('a good token for a link that the storage does not have is 404 link_not_found', async (t) => {
  const world = await createWorld();
  const other = await createWorld();
  t.equal(outcomeOf(await world.open(await other.mint(), JSON_WANTED)), '404 link_not_found');
});

t.test('a good token of another client’s for the code is 404 link_not_found', async (t) => {
  const world = await createWorld();
  const { accessCode } = await world.mint();
  const expiresAt = new Date(START.getTime() + 60_000);
  const token = world.signer.sign({ accessCode, clientId: 'other', issuedAt: START, expiresAt });
  const response = await world.send('GET', `/verify/${accessCode}?token=${token}`, { headers: JSON_WANTED });
  t.equal(outcomeOf(response), '404 link_not_found');
});

t.test('unknown and forged links get the same response', async (t) => {
  const world = await createWorld();
  const link = await world.mint();
  const forged = await world.send('GET', `${link.target}A`, { headers: JSON_WANTED });
  const unknown = await world.open(await (await createWorld()).mint(), JSON_WANTED);
  t.strictSame(forged, unknown);
  t.equal(problemOf(forged).detail, 'The link is not valid.');
});

function flipCase(text: string): string {
  return [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
}

/** A storage that must not be asked for a link. */
function untouchable(storage: AdminStorage): Storage {
  const touched = () => {
    throw new Error('The storage was touched.');
  };
  return { ...storage, findLink: touched, markLinkOpened: touched, submitLink: touched, revokeLink: touched };
}
