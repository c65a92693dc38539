// What the command line prints when the mock is ready: for people, or as one line of JSON.

import { createSamples } from '../dashboard/samples.js';
import { shortened } from '../http/control-state.js';
import { createSeeder } from '../seed/seed.js';
import type { MockServer } from '../server.js';
import { paint } from './output.js';

/** The line of `--ready-json`. Of each client the first 100 users are named. */
export function readyLine({ url, dashboardUrl, controlUrl, seed, clients }: MockServer): string {
  return `${JSON.stringify({ url, dashboardUrl, controlUrl, seed, clients: clients.map(shortened) })}\n`;
}

/** What the start text tells besides what the mock itself knows. */
export interface StartTextOptions {
  /** undefined: in memory. */
  keptIn: string | undefined;
  latencyMs: number | readonly [number, number] | undefined;
  errorRate: number | undefined;
  /** false: there is no dashboard. */
  hasControl: boolean;
  isColored: boolean;
}

/** Clients and users that are shown; there may be thousands. */
const SHOWN = 5;

/** The start text: where it is, whom to be, and what to do next. */
export function startText(mock: MockServer, options: StartTextOptions): string {
  const styled: typeof paint = (style, text) => (options.isColored ? paint(style, text) : text);
  const { clients } = mock;
  const [client] = clients;
  const userIds = client?.userIds ?? [];
  const rows: [string, string][] = [];
  if (options.hasControl) rows.push(['Dashboard', styled('cyan', mock.dashboardUrl)]);
  rows.push(['API', styled('cyan', mock.url)]);
  if (mock.publicUrl !== mock.url) rows.push(['Public URL', styled('cyan', mock.publicUrl)]);
  for (const { clientId, apiKey } of clients.slice(0, SHOWN))
    rows.push(['Client', clientId], ['API key', apiKey]);
  if (clients.length > SHOWN) rows.push(['', styled('dim', `and ${clients.length - SHOWN} more clients`)]);
  const more = userIds.length > SHOWN ? ` … ${userIds.at(-1)}` : '';
  const anyOther = styled('dim', '(any other id works too)');
  rows.push(
    ['Users', `${userIds.slice(0, SHOWN).join(' ')}${more} ${anyOther}`],
    ['Seed', String(mock.seed)],
  );
  if (options.keptIn !== undefined) rows.push(['Kept in', `${options.keptIn}, over restarts too`]);
  const { latencyMs, errorRate } = options;
  if (latencyMs !== undefined) rows.push(['Latency', `${[latencyMs].flat().join(' to ')} ms`]);
  if (errorRate !== undefined) rows.push(['Error rate', String(errorRate)]);

  const lines = rows.map(([name, value]) => `  ${styled('dim', name.padEnd(10))}  ${value}`);
  const text = [styled('bold', 'claimlink mock server'), '', ...lines, ''];
  const [userId] = userIds;
  if (client && userId !== undefined) {
    // With the address that works on this machine, whatever the public URL is.
    const samples = createSamples({
      url: mock.url,
      publicUrl: mock.url,
      seeder: createSeeder({ seed: mock.seed }),
    });
    text.push(styled('bold', 'List sessions'), '', samples.listCommand(client, userId), '');
    const heading = 'Make a link, then open the URL it answers';
    text.push(styled('bold', heading), '', samples.linkCommand(client, userId), '');
  }
  return `${text.join('\n')}\n`;
}
