// The code under test in all recipes: a client of the API as an application would have it, for Node and browsers.

/** What the API said no to, or null for `status` when it did not answer at all. */
export class ClaimsApiError extends Error {
  constructor(message, { status = null, code = null, ...options } = {}) {
    super(message, options);
    this.name = 'ClaimsApiError';
    this.status = status;
    this.code = code;
  }
}

const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * A client of one tenant. `fetch` and `pause` are there for tests: what sends, and what waits between two attempts.
 * A 503 is tried again, as often as `retries` says, after the seconds that its Retry-After asks for. A request that
 * got no answer is tried again only where that can do no harm.
 */
export function createClaimsClient({
  baseUrl,
  clientId,
  apiKey,
  fetch = globalThis.fetch.bind(globalThis),
  pause = wait,
  retries = 2,
  support = { email: 'claims@example.com', phone: '+49 30 123456' },
}) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };

  async function send(url, init) {
    for (let left = retries; ; left--) {
      const response = await fetch(url, { ...init, headers }).catch((cause) => {
        if (left > 0 && init.method === 'GET') return undefined;
        throw new ClaimsApiError('The claims service did not answer.', { cause });
      });
      if (response?.ok) return response;
      if (left === 0 || (response && response.status !== 503)) throw await errorOf(response);
      await pause(Number(response?.headers.get('retry-after')) || 1);
    }
  }

  return {
    /** All sessions of a user, newest first, page by page. */
    async listSessions(userId) {
      const sessions = [];
      let url = `${baseUrl}/${clientId}/sessions/${encodeURIComponent(userId)}`;
      while (url !== undefined) {
        const response = await send(url, { method: 'GET' });
        sessions.push(...(await response.json()));
        url = /<([^>]+)>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      }
      return sessions;
    },

    /** The URL at which a user reports a claim, about `policy`, to come back to `callbackUrl` afterwards. */
    async createLink(userId, callbackUrl, policy = {}) {
      const response = await send(`${baseUrl}/${clientId}/link`, {
        method: 'POST',
        body: JSON.stringify({ callbackUrl, config: { currentUserId: userId, contact: support, policy } }),
      });
      return (await response.json()).data;
    },
  };
}

async function errorOf(response) {
  const problem = await response.json().catch(() => ({}));
  const message = problem.detail ?? `The claims service answered ${response.status}.`;
  return new ClaimsApiError(message, { status: response.status, code: problem.code });
}
