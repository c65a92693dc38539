// The frame of the mock's pages, and how one is sent: no external asset, a strict policy, no script but the page's own.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { type Html, html, toText } from './html.js';
import { STYLE } from './style.js';
import { DASHBOARD_STYLE } from './style-dashboard.js';

/** A page without its frame. */
export interface Page {
  title: string;
  /** Path from this page to the dashboard: a proxy may have put a prefix before everything. */
  root: './' | '../' | '../../';
  body: Html;
  /** Stands at the right of the header. */
  aside?: Html;
  /** Runs once the page is there; may call the server that it came from. */
  script?: Html;
  /** For the script: data-* attributes of the document. */
  data?: Readonly<Record<string, string>>;
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%234f46e5'/%3E%3Cpath d='M9 17l5 5 9-11' fill='none' stroke='%23fff' stroke-width='3.5' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E";

const LOGO = html`<svg class="logo" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false"><rect width="32" height="32" rx="8"/><path d="M9 17l5 5 9-11"/></svg>`;

/** Sends a page. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(page.script ? [`script-src 'nonce-${nonce}'`, "connect-src 'self'"] : []),
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': policy.join('; '),
      // Not no-referrer: with that, browsers send `Origin: null` with a form, which the guard must refuse.
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    })
    .send(toText(frame(page, nonce)));
}

function frame({ title, root, body, aside, script, data = {} }: Page, nonce: string): Html {
  return html`<!doctype html>
<html lang="en" data-root="${root}"${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style nonce="${nonce}">${STYLE}${script && DASHBOARD_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div class="wrap"><a class="brand" href="${root}">${LOGO}<span>claimlink</span> <span class="tag">mock server</span></a>${aside}</div></header>
<main id="main" class="wrap">
${body}
</main>
${script && html`<script nonce="${nonce}">${script}</script>`}
</body>
</html>
`;
}
