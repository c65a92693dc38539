// A tenant of its own on a mock that other test workers use too: the control API, scoped to one client.

/**
 * Makes a client with its own key, data, clock and faults. Whatever is done through it, no other worker notices.
 * `mockUrl` is where `startMockServer` or `npx claimlink` listens.
 */
export async function createTenant(mockUrl) {
  const { clientId, apiKey } = await control('POST', '/clients', {});
  const scope = `client=${clientId}`;

  async function control(method, path, body) {
    const response = await fetch(`${mockUrl}/__mock${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /__mock${path}: ${response.status} ${text}`);
    return text && JSON.parse(text);
  }

  return {
    baseUrl: mockUrl,
    clientId,
    apiKey,
    addFault: (fault) => control('POST', '/faults', { ...fault, clientId }),
    failNext: (fault) => control('POST', '/faults', { times: 1, ...fault, clientId }),
    advanceClock: (ms) => control('POST', `/clock/advance?${scope}`, { ms }),
    setClock: (now) => control('PUT', `/clock?${scope}`, { now, isFrozen: true }),
    clock: () => control('GET', `/clock?${scope}`),
    links: () => control('GET', `/links?${scope}`),
    submitLink: (url, claim) => control('POST', '/links/submit', { url, ...(claim && { claim }) }),
    waitForRequests: (filter) => control('GET', `/requests/wait?${scope}&${new URLSearchParams(filter)}`),
    requests: () => control('GET', `/requests?${scope}`),
    reset: () => control('POST', `/reset?${scope}`),
    remove: () => control('DELETE', `/clients/${clientId}`),
  };
}
