// Rules about order, pages and the status filter of a listing.

import type { ErrorRule } from '../../core/errors.js';
import { type Deployment, referenceIn } from './deployment.js';
import {
  bodyKind,
  expect,
  expectArray,
  expectErrorsAt,
  expectStatus,
  fail,
  jsonOf,
  NotApplicableError,
  nextTarget,
} from './expect.js';
import type { TextResponse, WireSession } from './response.js';
import type { ContractSection } from './rule.js';
import { problemSample } from './sample-responses.js';
import { referencesOf, whileUnchanged } from './unchanged-listing.js';

/** Returns the path below {base_url} of a Link header. The API key must not be sent elsewhere. */
function pathBelow(deployment: Deployment, response: TextResponse, target: string): string {
  const { baseUrl } = deployment.target;
  if (target.startsWith(`${baseUrl}/`)) return target.slice(baseUrl.length);
  return fail(response, 'a rel="next" to another place', 'a URL below {base_url}');
}

/** More pages than a listing has. */
const MAX_PAGES = 1000;

/** Returns references, from the first page to the last one or until there are enough. */
async function follow(deployment: Deployment, query: string, atLeast: number): Promise<unknown[]> {
  const references: unknown[] = [];
  const visited = new Set<string>();
  let path: string | undefined = deployment.listingPath() + query;
  while (path !== undefined && references.length < atLeast) {
    const response: TextResponse = await deployment.send({
      url: path,
      title: `GET ${path.replace(/cursor=[^&]*/, 'cursor=…')}`,
    });
    expectStatus(response, 200);
    const list = expectArray(response);
    const isEmpty = visited.size > 0 && list.length === 0;
    expect(!isEmpty, response, 'an empty page after rel="next"', 'rel="next" only if more sessions follow');
    for (const reference of referencesOf(list)) references.push(reference);
    const target = nextTarget(response);
    path = target === undefined ? undefined : pathBelow(deployment, response, target);
    expect(
      path === undefined || !visited.has(path),
      response,
      'a rel="next" to an earlier page',
      'the next page',
    );
    if (path !== undefined) visited.add(path);
    expect(visited.size < MAX_PAGES, response, `${MAX_PAGES} pages and another rel="next"`, 'a last page');
  }
  return references;
}

function assertSeveral(listing: readonly WireSession[]): void {
  if (listing.length < 2) throw new NotApplicableError('the user has one session only: pass --user-id');
}

/** Runs a check while the listing has at least two sessions and does not change. */
function whileSeveral(deployment: Deployment, check: (listing: readonly WireSession[]) => Promise<void>) {
  return whileUnchanged(deployment, async (listing) => {
    assertSeveral(listing);
    await check(listing);
  });
}

function rejected(name: string, query: string, parameter: string, rule: ErrorRule) {
  return {
    name,
    sample: problemSample('request_invalid', [parameter], rule),
    async check(deployment: Deployment) {
      expectErrorsAt(await deployment.getListing(`?${query}`), [parameter]);
    },
  };
}

export const orderSection: ContractSection = {
  section: 'Decision: order, paging',
  advice: 'Sort the listing, newest createdAt first, and page it by limit, cursor and a Link header.',
  rules: [
    {
      name: 'sessions are sorted by createdAt, newest first',
      async check(deployment) {
        const listing = await deployment.listSomeSessions();
        assertSeveral(listing);
        const dates = listing.map((session) => String(session['createdAt']));
        if (new Set(dates).size === 1)
          throw new NotApplicableError('all sessions of the user were created in the same minute');
        const laterIndex = dates.findIndex((date, index) => index > 0 && date > String(dates[index - 1]));
        expect(
          laterIndex === -1,
          `session ${laterIndex}`,
          'a later createdAt than before it',
          'newest createdAt first',
        );
      },
    },
    {
      name: 'of two sessions, the one whose link was opened later comes first',
      async check(deployment) {
        const earlier = await deployment.submitNewClaim();
        // Storages keep milliseconds, so the openings need a distance.
        await new Promise((resolve) => setTimeout(resolve, 20));
        const later = await deployment.submitNewClaim();
        const references = referencesOf(await deployment.listSessions());
        const [first, second] = [later, earlier].map(({ response }) =>
          references.indexOf(referenceIn(response)),
        );
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
      name: '?limit=1 returns the first session of the listing',
      async check(deployment) {
        await whileSeveral(deployment, async (listing) => {
          const response = await deployment.getListing('?limit=1');
          expectStatus(response, 200);
          const list = expectArray(response);
          expect(list.length === 1, response, `${list.length} sessions`, 'one session');
          const isFirst = referencesOf(list)[0] === listing[0]?.['reference'];
          expect(isFirst, response, 'another session', 'the first session of the listing');
        });
      },
    },
    {
      name: 'a page that is not the last one has a Link header, rel="next", with a URL below {base_url}',
      async check(deployment) {
        assertSeveral(await deployment.listSomeSessions());
        const response = await deployment.getListing('?limit=1');
        const target = nextTarget(response);
        expect(target !== undefined, response, 'no Link header with rel="next"', 'Link: <…>; rel="next"');
        const path = pathBelow(deployment, response, target);
        const isListing = path.startsWith(`${deployment.listingPath()}?`);
        expect(isListing, response, 'a rel="next" to another path', 'the same listing, with a cursor');
      },
    },
    {
      name: 'the pages that the Link headers name contain every session once, in order',
      async check(deployment) {
        await whileSeveral(deployment, async (listing) => {
          const expected = referencesOf(listing);
          const limit = expected.length < 3 ? 1 : Math.max(2, Math.floor(expected.length / 3));
          const followed = await follow(deployment, `?limit=${limit}`, expected.length);
          const isSame = followed.slice(0, expected.length).join('\n') === expected.join('\n');
          const expectedText = `the ${expected.length} of the listing in their order`;
          expect(isSame, `the pages of ?limit=${limit}`, `${followed.length} other sessions`, expectedText);
        });
      },
    },
    {
      name: 'the last page has no Link header with rel="next"',
      async check(deployment) {
        // The page size of the deployment may be smaller than the listing.
        await whileSeveral(deployment, async ({ length }) => {
          await follow(deployment, `?limit=${length}`, Number.POSITIVE_INFINITY);
        });
      },
    },
    {
      name: '?status= returns the sessions with that status, and no others',
      async check(deployment) {
        const list = await deployment.listSomeSessions();
        const status = String(list[0]?.['status']);
        const response = await deployment.getListing(`?status=${encodeURIComponent(status)}`);
        expectStatus(response, 200);
        const filtered = expectArray(response);
        const others = filtered.filter((session: WireSession) => session?.['status'] !== status).length;
        expect(others === 0, response, `${others} sessions with another status`, 'no others');
        const expected = list.filter((session) => session['status'] === status);
        const references = new Set(referencesOf(filtered));
        const missing = expected.filter(({ reference }) => !references.has(reference)).length;
        expect(missing === 0, response, `${missing} sessions with this status missing`, 'all of them');
      },
    },
    {
      name: 'a ?status= that no session has returns an empty array',
      async check(deployment) {
        const response = await deployment.getListing('?status=claimlink-check-none');
        expectStatus(response, 200);
        const list = jsonOf(response);
        expect(Array.isArray(list) && list.length === 0, response, bodyKind(response), 'an empty array');
      },
    },
    rejected('?limit=0 is a 400 that names limit', 'limit=0', 'limit', 'limit'),
    rejected('a ?limit= that is not a number is a 400 that names limit', 'limit=ten', 'limit', 'limit'),
    rejected('a ?limit= over any maximum is a 400 that names limit', 'limit=1000000', 'limit', 'limit'),
    rejected(
      'a ?cursor= that no page returned is a 400 that names cursor',
      'cursor=claimlink-check',
      'cursor',
      'cursor',
    ),
    rejected('a parameter given twice is a 400 that names it', 'limit=1&limit=2', 'limit', 'repeated'),
    {
      name: 'an unknown query parameter is ignored',
      async check(deployment) {
        await whileUnchanged(deployment, async () => {
          const plain = await deployment.getListing();
          const response = await deployment.getListing('?claimlink-check=1');
          expectStatus(response, 200);
          expect(response.body === plain.body, response, 'another listing', 'the listing');
        });
      },
    },
  ],
};
