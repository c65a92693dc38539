// The code under test in all recipes: an application's client of the API, for Node and browsers.

/** An error of the API. `status` is null if there was no response. */
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
 * Creates the requests of one client. `fetch` sends a request and `pause` waits between two attempts; tests replace them.
 * The client retries a 503 up to `retries` times, after the seconds of its Retry-After header. It retries a request
 * without a response only if that does no harm.
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
        throw new ClaimsApiError('There was no response from the claims service.', { cause });
      });
      if (response?.ok) return response;
      if (left === 0 || (response && response.status !== 503)) throw await errorOf(response);
      await pause(Number(response?.headers.get('retry-after')) || 1);
    }
  }

  return {
    /** Returns all sessions of a user, newest first, page by page. */
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

    /** Returns the URL at which a user reports a claim about `policy`. The user then returns to `callbackUrl`. */
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
  const message = problem.detail ?? `The claims service responded with ${response.status}.`;
  return new ClaimsApiError(message, { status: response.status, code: problem.code });
}
