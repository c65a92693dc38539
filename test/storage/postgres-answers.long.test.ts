// Answers of recipients at once, to services that share a PostgreSQL, as processes do.
import t from 'tap';
import { createClaimlink } from '../../lib/claimlink.js';
import { CLIENT_ID, createWorld, linkRequest, PUBLIC_URL, toMintedLink } from '../core/world.js';
import { findPostgres, openTables } from './postgres-server.js';

const ANSWERS = 24;

const server = await findPostgres(t);
if (server !== undefined)
  t.test('right answers at once lock no link, and five wrong ones among them do', async (t) => {
    const { storage } = await openTables(t, server);
    const { signer } = await createWorld();
    const create = () => createClaimlink({ storage, signer, publicUrl: PUBLIC_URL });
    const [first, second] = [create(), create()] as const;
    await first.addClient({ clientId: CLIENT_ID, settings: { recipientCheck: ['/policy/number'] } });
    const config = { ...linkRequest().config, policy: { number: 'P-2026' } };
    const { url, linkId: accessCodeHash } = await first.createLink(CLIENT_ID, linkRequest({ config }));
    const { accessCode, token } = toMintedLink(url);
    const answer = (recipientAnswer: string, index: number) =>
      (index % 2 ? first : second).openLink(accessCode, token, { recipientAnswer }).then(
        () => 'opened',
        ({ code }: { code: string }) => code,
      );
    const answers = (isRight: (index: number) => boolean) =>
      Promise.all(
        Array.from({ length: ANSWERS }, (_, index) => answer(isRight(index) ? 'P-2026' : 'wrong', index)),
      );
    const moments = async () =>
      (await storage.listMoments({ clientId: CLIENT_ID, accessCodeHash }))?.map(({ type }) => type);

    t.same(new Set(await answers(() => true)), new Set(['opened']));
    const mixed = await answers((index) => index % 6 !== 0);
    t.equal(mixed.filter((result) => result === 'opened').length, ANSWERS - 4);
    t.equal(mixed.filter((result) => result === 'recipient_check_failed').length, 4);
    t.same(await moments(), []);
    const wrong = await answers(() => false);
    t.equal(wrong.filter((result) => result === 'recipient_check_failed').length, 1);
    t.equal(wrong.filter((result) => result === 'link_locked').length, ANSWERS - 1);
    t.same(await moments(), ['link.locked']);
  });
