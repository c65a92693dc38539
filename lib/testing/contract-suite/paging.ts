// Contract rules: order, pages and the status filter of a listing.
import type { Answer } from './client.js';
import {
  expect,
  expectPlaces,
  expectStatus,
  fail,
  jsonOf,
  NotApplicableError,
  nextTarget,
} from './expect.js';
import { referencesOf, whileStill } from './still.js';
import { type ContractSection, type ContractWorld, referenceIn, type WireSession } from './world.js';

/** The path below {base_url} that a Link header leads to: the API key goes nowhere else. */
function pathBelow(world: ContractWorld, answer: Answer, target: string): string {
  const { baseUrl } = world.target;
  if (target.startsWith(`${baseUrl}/`)) return target.slice(baseUrl.length);
  return fail(answer.title, 'a rel="next" that leads elsewhere', 'a URL below {base_url}');
}

/** References from the first page on, until there is no next one or there are this many. */
async function follow(world: ContractWorld, query: string, atLeast: number): Promise<unknown[]> {
  const references: unknown[] = [];
  const seen = new Set<string>();
  let path: string | undefined = world.listingPath() + query;
  while (path !== undefined && references.length < atLeast) {
    const answer: Answer = await world.send({
      url: path,
      title: `GET ${path.replace(/cursor=[^&]*/, 'cursor=…')}`,
    });
    expectStatus(answer, 200);
    const list = jsonOf(answer);
    expect(Array.isArray(list), answer.title, 'no array', 'an array on every page');
    const isEmpty = seen.size > 0 && list.length === 0;
    expect(!isEmpty, answer.title, 'an empty page after rel="next"', 'rel="next" only where there are more');
    references.push(...referencesOf(list));
    const target = nextTarget(answer);
    path = target === undefined ? undefined : pathBelow(world, answer, target);
    expect(
      path === undefined || !seen.has(path),
      answer.title,
      'a page that leads to itself',
      'the next page',
    );
    if (path !== undefined) seen.add(path);
  }
  return references;
}

function assertSeveral(listing: readonly WireSession[]): void {
  if (listing.length < 2) throw new NotApplicableError('the user has one session only: give --user-id');
}

/** As `whileStill`, of at least two sessions. */
function ofSeveral(world: ContractWorld, check: (listing: readonly WireSession[]) => Promise<void>) {
  return whileStill(world, async (listing) => {
    assertSeveral(listing);
    await check(listing);
  });
}

function refusal(name: string, query: string, parameter: string) {
  return {
    name,
    async check(world: ContractWorld) {
      expectPlaces(await world.send({ url: `${world.listingPath()}?${query}` }), [parameter]);
    },
  };
}

export const orderSection: ContractSection = {
  section: 'Decision: order, paging',
  rules: [
    {
      name: 'sessions stand with the newest createdAt first',
      async check(world) {
        const listing = await world.someSessions();
        assertSeveral(listing);
        const dates = listing.map((session) => String(session['createdAt']));
        if (new Set(dates).size === 1)
          throw new NotApplicableError('all sessions of the user were created in the same minute');
        const index = dates.findIndex((date, at) => at > 0 && date > String(dates[at - 1]));
        expect(
          index === -1,
          `session ${index}`,
          'a later createdAt than before it',
          'newest createdAt first',
        );
      },
    },
    {
      name: 'of two sessions, the one whose link was opened later stands first',
      async check(world) {
        const earlier = await world.submitted();
        // Storages hold milliseconds: the two openings must not share one.
        await new Promise((resolve) => setTimeout(resolve, 20));
        const later = await world.submitted();
        const references = referencesOf(await world.sessions());
        const [first, second] = [later, earlier].map(({ answer }) => references.indexOf(referenceIn(answer)));
        expect(first !== -1 && second !== -1, 'the listing', 'a submitted session missing', 'both sessions');
        expect(
          Number(first) < Number(second),
          'the listing',
          'the earlier session first',
          'the later one first',
        );
      },
    },
    {
      name: '?limit=1 gives the first session of the listing',
      async check(world) {
        await ofSeveral(world, async (listing) => {
          const answer = await world.send({ url: `${world.listingPath()}?limit=1` });
          expectStatus(answer, 200);
          const list = jsonOf(answer);
          expect(Array.isArray(list), answer.title, 'no array', 'a top-level array');
          expect(list.length === 1, answer.title, `${list.length} sessions`, 'one');
          const isFirst = referencesOf(list)[0] === listing[0]?.['reference'];
          expect(isFirst, answer.title, 'another session', 'the first of the listing');
        });
      },
    },
    {
      name: 'a page that is not the last one has a Link header, rel="next", with a URL below {base_url}',
      async check(world) {
        assertSeveral(await world.someSessions());
        const answer = await world.send({ url: `${world.listingPath()}?limit=1` });
        const target = nextTarget(answer);
        expect(target !== undefined, answer.title, 'no Link header with rel="next"', 'Link: <…>; rel="next"');
        const path = pathBelow(world, answer, target);
        const isListing = path.startsWith(`${world.listingPath()}?`);
        expect(isListing, answer.title, 'a rel="next" to another path', 'the same listing, with a cursor');
      },
    },
    {
      name: 'the pages, followed by their Link headers, are the listing: every session once, in order',
      async check(world) {
        await ofSeveral(world, async (listing) => {
          const expected = referencesOf(listing);
          const limit = expected.length < 3 ? 1 : Math.max(2, Math.floor(expected.length / 3));
          const followed = await follow(world, `?limit=${limit}`, expected.length);
          const isSame = followed.slice(0, expected.length).join('\n') === expected.join('\n');
          const says = `the ${expected.length} of the listing in their order`;
          expect(isSame, `the pages of ?limit=${limit}`, `${followed.length} sessions that differ`, says);
        });
      },
    },
    {
      name: 'the last page has no Link header with rel="next"',
      async check(world) {
        // To the very end, whatever the largest page is here.
        await ofSeveral(world, async ({ length }) => {
          await follow(world, `?limit=${length}`, Number.POSITIVE_INFINITY);
        });
      },
    },
    {
      name: '?status= keeps the sessions of that status, and no others',
      async check(world) {
        const list = await world.someSessions();
        const status = String(list[0]?.['status']);
        const url = `${world.listingPath()}?status=${encodeURIComponent(status)}`;
        const answer = await world.send({ url });
        expectStatus(answer, 200);
        const kept = jsonOf(answer);
        expect(Array.isArray(kept), answer.title, 'no array', 'a top-level array');
        const strangers = kept.filter((session: WireSession) => session?.['status'] !== status).length;
        expect(strangers === 0, answer.title, `${strangers} sessions of another status`, 'none');
        const expected = list.filter((session) => session['status'] === status);
        const missing = expected.filter(
          (session) => !referencesOf(kept).includes(session['reference']),
        ).length;
        expect(missing === 0, answer.title, `${missing} sessions of this status missing`, 'all of them');
      },
    },
    {
      name: 'a ?status= that no session has gives an empty array',
      async check(world) {
        const answer = await world.send({ url: `${world.listingPath()}?status=claimlink-check-none` });
        expectStatus(answer, 200);
        const list = jsonOf(answer);
        expect(Array.isArray(list) && list.length === 0, answer.title, 'something else', 'an empty array');
      },
    },
    refusal('?limit=0 is a 400 that names limit', 'limit=0', 'limit'),
    refusal('a ?limit= that is no number is a 400 that names limit', 'limit=ten', 'limit'),
    refusal('a ?limit= over any maximum is a 400 that names limit', 'limit=1000000', 'limit'),
    refusal('a ?cursor= that was never given is a 400 that names cursor', 'cursor=claimlink-check', 'cursor'),
    refusal('a parameter given twice is a 400 that names it', 'limit=1&limit=2', 'limit'),
    {
      name: 'a query parameter that nobody knows is ignored',
      async check(world) {
        await whileStill(world, async () => {
          const plain = await world.send({ url: world.listingPath() });
          const answer = await world.send({ url: `${world.listingPath()}?claimlink-check=1` });
          expectStatus(answer, 200);
          expect(answer.body === plain.body, answer.title, 'another listing', 'the listing');
        });
      },
    },
  ],
};
