// The mock's own pages: the dashboard, and the landing page of callbacks. A strict policy and no external asset.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { securityHeaders } from '../../lib/http/page-headers.js';
import { escapeHtml } from '../../lib/widget/html.js';

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%234f46e5'/%3E%3Cpath d='M9 17l5 5 9-11' fill='none' stroke='%23fff' stroke-width='3.5' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";

/** Sends the dashboard. Its script is a client of the control API. */
export async function sendDashboard(reply: FastifyReply): Promise<FastifyReply> {
  const { DASHBOARD_SCRIPT, DASHBOARD_STYLE } = await import('../generated/dashboard.js');
  return sendPage(reply, {
    title: 'claimlink mock',
    style: DASHBOARD_STYLE,
    body: '<div id="dashboard"></div><noscript>The dashboard needs JavaScript.</noscript>',
    script: DASHBOARD_SCRIPT,
  });
}

const CALLBACK_STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark;background:Canvas;color:CanvasText}dt{font-weight:600}dd{margin:0 0 .5rem}';

/** Sends the landing page of callbacks. The values come from its query and may be anything. */
export function sendCallbackPage(
  reply: FastifyReply,
  { reference, status }: { reference?: unknown; status?: unknown },
): FastifyReply {
  const shown = (value: unknown) =>
    typeof value === 'string' && value !== '' ? `<code>${escapeHtml(value)}</code>` : 'none in the URL';
  return sendPage(reply, {
    title: 'Callback · claimlink mock',
    style: CALLBACK_STYLE,
    body: `<main><h1>You are back at the callback</h1>
<p>Your own page is here in production: the <code>callbackUrl</code> of the link leads to it.</p>
<dl><dt>Reference</dt><dd>${shown(reference)}</dd><dt>Status</dt><dd>${shown(status)}</dd></dl>
<p>The placeholders <code>{SESSION_REFERENCE}</code> and <code>{STATUS}</code> in a callbackUrl are filled in.</p>
<p><a href="../">Open the dashboard</a></p></main>`,
  });
}

/** A page without its frame. `body`, `style` and `script` are trusted. */
interface Page {
  title: string;
  style: string;
  body: string;
  script?: string;
}

function sendPage(reply: FastifyReply, { title, style, body, script }: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`, "connect-src 'self'"]),
    // The dashboard shows photos.
    `img-src ${script === undefined ? '' : "'self' "}data:`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      ...securityHeaders(policy.join('; ')),
      'referrer-policy': 'same-origin',
    })
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
${body}
${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>`}
</body>
</html>
`);
}
