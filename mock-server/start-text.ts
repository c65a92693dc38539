// What the command line prints when the mock is ready: for people, or as one line of JSON.
import { paint } from './output.js';
import type { Samples } from './samples.js';
import type { MockServer } from './server.js';

/** The line of `--ready-json`. */
export function readyLine({ url, dashboardUrl, controlUrl, seed, clients }: MockServer): string {
  return `${JSON.stringify({ url, dashboardUrl, controlUrl, seed, clients })}\n`;
}

/** The start text: where it is, whom to be, and what to do next. */
export function startText(
  mock: MockServer,
  samples: Samples,
  { isDurable, isColored }: { isDurable: boolean; isColored: boolean },
): string {
  const styled: typeof paint = (style, text) => (isColored ? paint(style, text) : text);
  const rows: [string, string][] = [['Dashboard', styled('cyan', mock.dashboardUrl)]];
  if (mock.publicUrl !== mock.url) rows.push(['Public URL', styled('cyan', mock.publicUrl)]);
  for (const { clientId, apiKey } of mock.clients) rows.push(['Client', clientId], ['API key', apiKey]);
  const [client] = mock.clients;
  const userIds = client?.userIds ?? [];
  rows.push(
    ['Users', `${userIds.join(' ')} ${styled('dim', '(any other id works too)')}`],
    ['Seed', String(mock.seed)],
  );
  if (isDurable) rows.push(['Kept in', 'PostgreSQL, over restarts too']);

  const lines = rows.map(([name, value]) => `  ${styled('dim', name.padEnd(10))}  ${value}`);
  const text = [styled('bold', 'claimlink mock server'), '', ...lines, ''];
  const [userId] = userIds;
  if (client && userId) {
    text.push(styled('bold', 'List sessions'), '', samples.listCommand(client, userId), '');
    text.push(
      styled('bold', 'Make a link, then open the URL it answers'),
      '',
      samples.linkCommand(client, userId),
      '',
    );
  }
  return `${text.join('\n')}\n`;
}
