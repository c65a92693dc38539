// The text that the command line prints when the mock is ready: for people, or as one line of JSON.

import { curlLine } from '../mock-server/curl.js';
import { exampleRequests } from '../mock-server/example-requests.js';
import { createPaint } from '../mock-server/http/terminal.js';
import { SPECIAL_USERS } from '../mock-server/schemas/defaults.js';
import type { MockServer } from '../mock-server/server.js';
import type { MockServerOptions } from '../mock-server/state/options.js';
import { redactPath } from '../mock-server/state/redaction.js';

/** Returns the line of `--ready-json`. It has the secret of the webhook if `options` has none. */
export async function readyLine(mock: MockServer, options: MockServerOptions = {}): Promise<string> {
  const { url, dashboardUrl, controlUrl, seed } = mock;
  const all = await mock.clients();
  const clients = all.map(({ clientId, apiKey, userIds }) => ({ clientId, apiKey, userIds }));
  const { webhookSecret } = options.webhookSecret === undefined ? mock : {};
  return `${JSON.stringify({ url, dashboardUrl, controlUrl, seed, clients, webhookSecret })}\n`;
}

/** Settings that the start text shows. */
export interface StartTextOptions
  extends Pick<MockServerOptions, 'persistFile' | 'latencyMs' | 'faults' | 'webhook' | 'webhookSecret'> {
  /** The curl lines are for its shell. */
  platform: NodeJS.Platform;
  isColored: boolean;
}

/** Maximum number of clients and users that are shown. */
const MAX_SHOWN = 5;

/** Returns the start text: addresses, clients, settings and two curl lines. */
export async function startText(mock: MockServer, options: StartTextOptions): Promise<string> {
  const styled = createPaint(options.isColored);
  const clients = await mock.clients();
  const [client] = clients;
  const rows = [
    ['Dashboard', styled('cyan', mock.dashboardUrl)],
    ['API', styled('cyan', mock.url)],
  ];
  if (mock.publicUrl !== mock.url) rows.push(['Public URL', styled('cyan', mock.publicUrl)]);
  for (const { clientId, apiKey } of clients.slice(0, MAX_SHOWN))
    rows.push(['Client', clientId], ['API key', apiKey]);
  if (clients.length > MAX_SHOWN)
    rows.push(['', styled('dim', `and ${clients.length - MAX_SHOWN} more clients`)]);
  if (client) {
    const userIds = client.userIds.slice(0, MAX_SHOWN).join(' ');
    rows.push(['Users', `${userIds} ${styled('dim', '(other ids work as well)')}`]);
    rows.push(['', SPECIAL_USERS.map(({ id }) => id).join(' ')]);
  }
  rows.push(['Seed', String(mock.seed)]);
  if (options.persistFile !== undefined) rows.push(['State file', options.persistFile]);
  if (options.latencyMs) rows.push(['Latency', `${String(options.latencyMs).replace('-', ' to ')} ms`]);
  if (options.faults?.length) rows.push(['Faults', `${options.faults.length} set`]);
  if (options.webhook !== undefined) rows.push(['Webhook', redactPath(options.webhook)]);
  if (mock.webhookSecret !== undefined && options.webhookSecret === undefined)
    rows.push(['Secret', mock.webhookSecret]);

  const lines = rows.map(([name = '', value]) => `  ${styled('dim', name.padEnd(10))}  ${value}`);
  const text = [styled('bold', 'claimlink mock server'), '', ...lines, ''];
  if (client) {
    const [userId = 'user-1'] = client.userIds;
    for (const [title, request] of Object.entries(exampleRequests(mock.url, client, userId)))
      text.push(styled('bold', title), '', curlLine(request, options.platform), '');
  }
  return `${text.join('\n')}\n`;
}
