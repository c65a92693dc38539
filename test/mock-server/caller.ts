// Calls the service as one client, over HTTP or through a mock's fetch function.
import type { MockClient } from '../../mock-server/index.js';

type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** What a client's backend and its users do. */
export interface Caller {
  list(userId?: string, init?: RequestInit): Promise<Response>;
  /** The whole listing, byte for byte. */
  bytes(userId?: string): Promise<string>;
  /** Asks for a link; the answer. */
  link(userId?: string, init?: RequestInit): Promise<Response>;
  /** A link. */
  mint(userId?: string): Promise<string>;
  /** Opens a link, as a program would: errors come as JSON. */
  open(link: string, init?: RequestInit): Promise<Response>;
}

export function createCaller(
  url: string,
  { clientId, apiKey }: Pick<MockClient, 'clientId' | 'apiKey'>,
  send: Fetch = fetch,
): Caller {
  const base = `${url}/${encodeURIComponent(clientId)}`;
  const list: Caller['list'] = (userId = 'user-1', { headers, ...init } = {}) =>
    send(`${base}/sessions/${encodeURIComponent(userId)}`, {
      headers: { 'x-api-key': apiKey, ...(headers as Record<string, string>) },
      ...init,
    });
  const link: Caller['link'] = (userId = 'user-1', { headers, ...init } = {}) =>
    send(`${base}/link`, {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        ...(headers as Record<string, string>),
      },
      body: JSON.stringify(linkRequest(userId)),
      ...init,
    });
  return {
    list,
    link,
    async bytes(userId) {
      const answer = await list(userId);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      return answer.text();
    },
    async mint(userId) {
      const answer = await link(userId);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
      const { data } = (await answer.json()) as { data: string };
      return data;
    },
    open: (url, init) => send(url, { headers: { accept: 'application/json' }, ...init }),
  };
}

/** A body of POST /:clientId/link. */
export function linkRequest(userId: string) {
  return {
    callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}',
    config: { contact: { email: 'claims@example.com', phone: '+41 44 000 00 00' }, currentUserId: userId },
  };
}

/** Code and places of the problems of what a call throws or rejects with. */
export async function rejectionOf(
  act: () => unknown,
): Promise<{ code: string; places: (string | undefined)[] }> {
  try {
    await act();
  } catch (error) {
    const { code, problems = [] } = error as {
      code: string;
      problems?: { pointer?: string; parameter?: string }[];
    };
    return { code, places: problems.map(({ pointer, parameter }) => pointer ?? parameter) };
  }
  throw new Error('it was not rejected');
}
