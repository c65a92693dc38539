// Puts a mock under load, and keeps what it has acknowledged.
import { list, send } from './client.js';
import { mintLink, submitClaim } from './links.js';

/** What the mock has said yes to. */
export interface Acknowledged {
  links: Set<string>;
  /** References of submitted claims, with their users. */
  claims: Map<string, string>;
}

export function nothingYet(): Acknowledged {
  return { links: new Set(), claims: new Map() };
}

/** Makes links and submits claims, one after the other, until the mock is gone. */
export async function workUntilGone(url: string, userId: string, acknowledged: Acknowledged): Promise<void> {
  try {
    for (;;) {
      const link = await mintLink(url, userId);
      acknowledged.links.add(link);
      acknowledged.claims.set(await submitClaim(url, link, userId), userId);
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ECONNRESET' && code !== 'ECONNREFUSED' && code !== 'EPIPE') throw error;
  }
}

/** What of it a mock does not have, in words. */
export async function missingAt(url: string, { links, claims }: Acknowledged): Promise<string[]> {
  const { body } = await send(`${url}/__mock/links`);
  const states = new Map<string, string>(
    JSON.parse(body).map((link: { url: string; reference?: string; state: string }) => [
      link.url,
      link.state,
    ]),
  );
  const listed = new Set<string>();
  for (const userId of new Set(claims.values())) {
    const answer = await list(url, `${userId}?limit=1000`);
    for (const { reference } of JSON.parse(answer.body)) listed.add(reference);
  }
  const submitted = [...states.values()].filter((state) => state === 'submitted').length;
  return [
    ...[...links].filter((link) => !states.has(link)).map((link) => `link ${link.slice(0, 60)}`),
    ...[...claims.keys()]
      .filter((reference) => !listed.has(reference))
      .map((reference) => `claim ${reference}`),
    ...(submitted < claims.size ? [`${claims.size} were submitted, ${submitted} links know it`] : []),
  ];
}
