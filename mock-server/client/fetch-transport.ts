// Carries control calls by fetch, in Node and in browsers. Events are server-sent events.
import type { MockEvent, Scope } from '../control.js';
import { type ControlTransport, errorOf, toQuery, unreachable } from './control-client.js';
import { revive } from './revive.js';

/** Options of `connectMock`. */
export interface ConnectOptions {
  /** Control token of the mock. In a page of the mock the browser adds the credentials itself. */
  token?: string;
  /** Default: the global fetch. */
  fetch?: typeof globalThis.fetch;
}

/** Creates a transport to the mock at this URL. */
export function createFetchTransport(url: string, options: ConnectOptions): ControlTransport {
  const base = `${url.replace(/\/+$/, '')}/__mock`;
  const { token, fetch = globalThis.fetch } = options;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };

  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(base + path, init);
    } catch (error) {
      throw unreachable(`There is no response from ${base}.`, error);
    }
  }

  return {
    async request({ path, headers, ...call }) {
      const response = await send(path, { ...call, headers: { ...authorization, ...headers } });
      return { status: response.status, body: await response.text() };
    },

    async subscribe({ clientId }: Scope, onEvent, onClose) {
      const controller = new AbortController();
      const response = await send(`/events${toQuery({ client: clientId })}`, {
        headers: { ...authorization, accept: 'text/event-stream' },
        signal: controller.signal,
      });
      if (!response.ok || response.body === null) throw errorOf(response.status, await response.text());
      readEvents(response.body, onEvent)
        .catch(() => {})
        .then(() => controller.signal.aborted || onClose());
      return () => controller.abort();
    },
  };
}

/** Reads server-sent events (HTML Living Standard, 9.2.6) as the mock writes them: one `data` line each. */
async function readEvents(
  stream: ReadableStream<Uint8Array>,
  onEvent: (event: MockEvent) => void,
): Promise<void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: ')) onEvent(revive(JSON.parse(line.slice(6))) as MockEvent);
    }
  }
}
