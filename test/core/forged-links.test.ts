// Forged links and links of other services: rejected before the storage is touched, all with the same response.
import t from 'tap';
import { hashAccessCode } from '../../lib/core/credentials.js';
import type { AdminStorage, Storage } from '../../lib/core/storage.js';
import { createWorld, type MintedLink, outcomeOf, problemOf, START, type World } from './world.js';

const JSON_WANTED = { accept: 'application/json' };

const FORMATS = ['jws', 'compact'] as const;

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
};

const expiredTokenOfAnotherLink: Forgery = async (world, { accessCode }) => {
  const { token } = await world.mint();
  world.advance(86_400_000);
  return `/verify/${accessCode}?token=${token}`;
};

const CASES = FORMATS.flatMap((format) => [
  ...Object.entries(FORGERIES).map(([what, [outcome, forge]]) => ({ format, what, outcome, forge })),
  {
    format,
    what: 'the expired token of another link',
    // A JWS contains its access code. The MAC of a compact token does not fit another one.
    outcome: format === 'jws' ? '410 link_expired' : '404 link_not_found',
    forge: expiredTokenOfAnotherLink,
  },
]);

for (const { format, what, outcome, forge } of CASES) {
  for (const method of ['GET', 'POST']) {
    t.test(`${format}: ${method} with ${what} is ${outcome}, and the storage is never touched`, async (t) => {
      const minting = await createWorld({ format });
      const target = await forge(minting, await minting.mint());
      const guarded = await createWorld({ format, wrapStorage: untouchable, now: minting.now });
      const headers = { ...JSON_WANTED, 'content-type': 'application/json' };
      t.equal(outcomeOf(await guarded.send(method, target, { headers, body: '{}' })), outcome);
      t.equal(guarded.errors.length, 0);
    });
  }
}

for (const format of FORMATS) {
  t.test(
    `${format}: a good token for a link that the storage does not have is 404 link_not_found`,
    async (t) => {
      const world = await createWorld({ format });
      const other = await createWorld({ format });
      t.equal(outcomeOf(await world.open(await other.mint(), JSON_WANTED)), '404 link_not_found');
    },
  );

  t.test(`${format}: a good token of another client’s for the code is 404 link_not_found`, async (t) => {
    const world = await createWorld({ format });
    const { accessCode } = await world.mint();
    const expiresAt = new Date(START.getTime() + 60_000);
    const token = world.signer.sign({ accessCode, clientId: 'other', issuedAt: START, expiresAt });
    const response = await world.send('GET', `/verify/${accessCode}?token=${token}`, {
      headers: JSON_WANTED,
    });
    t.equal(outcomeOf(response), '404 link_not_found');
  });

  t.test(
    `${format}: a link works with what mail programs add to its end, and with nothing else`,
    async (t) => {
      const world = await createWorld({ format });
      const { target } = await world.mint();
      const open = async (end: string) =>
        outcomeOf(await world.send('GET', target + end, { headers: { accept: 'text/html' } }));
      for (const end of ['.', ',', ')', '>', '%22', '%20', '+', '.)', '\u201d', '%E2%80%9D', '.'.repeat(8)])
        t.match(await open(end), /^200/, end);
      for (const end of ['A', '.A', 'A.', '_', '-', '.'.repeat(9), '%E2%80%9DA'])
        t.match(await open(end), /^404/, end);
    },
  );

  t.test(`${format}: a link that has ended says so with an addition as well`, async (t) => {
    const world = await createWorld({ format });
    const { target } = await world.mint();
    world.advance(86_400_000);
    t.equal(outcomeOf(await world.send('GET', `${target}.`, { headers: JSON_WANTED })), '410 link_expired');
  });

  t.test(`${format}: unknown and forged links get the same response`, async (t) => {
    const world = await createWorld({ format });
    const link = await world.mint();
    const forged = await world.send('GET', `${link.target}A`, { headers: JSON_WANTED });
    const unknown = await world.open(await (await createWorld({ format })).mint(), JSON_WANTED);
    t.strictSame(forged, unknown);
    t.equal(problemOf(forged).detail, 'The link is not valid.');
  });

  t.test(`${format}: a token that has ended looks its link up, which decides the answer`, async (t) => {
    const world = await createWorld({ format });
    const [ended, revoked] = [await world.mint(), await world.mint()];
    await world.storage.revokeLink({
      clientId: 'acme',
      accessCodeHash: hashAccessCode(revoked.accessCode),
      at: START,
    });
    world.advance(86_400_000);
    t.equal(outcomeOf(await world.open(ended, JSON_WANTED)), '410 link_expired');
    t.equal(outcomeOf(await world.open(revoked, JSON_WANTED)), '410 link_revoked');
    const forged = `${ended.target.slice(0, -4)}AAAA`;
    t.equal(outcomeOf(await world.send('GET', forged, { headers: JSON_WANTED })), '404 link_not_found');
  });
}

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
