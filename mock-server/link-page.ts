// The page that shows a freshly made link. The link is a secret: it stands here and in no other URL.
import type { LinkRequest } from '../lib/index.js';
import { html } from './html.js';
import type { MockClientOptions } from './options.js';
import type { Page } from './page.js';

/** A link, and the request that made it. */
export interface LinkView {
  client: MockClientOptions;
  userId: string;
  url: string;
  expiresAt: Date;
  linkRequest: LinkRequest;
}

/** The page. */
export function linkPage({ client, userId, url, expiresAt, linkRequest }: LinkView): Page {
  const query = new URLSearchParams({ client: client.clientId, user: userId });
  const until = expiresAt.toISOString();
  const body = html`<section class="card narrow">
<h1>The link is ready</h1>
<p class="muted">It lets ${userId} submit one claim, until <time datetime="${until}">${until.slice(0, 16).replace('T', ' ')} UTC</time>.</p>
<p class="row"><a class="button primary" href="${url}" target="_blank" rel="noopener">Open in a new tab</a> <a class="button" href="../?${query.toString()}">Back to ${userId}</a></p>
<h2>URL</h2>
<pre class="fold" tabindex="0">${url}</pre>
<h2>Request body</h2>
<p class="hint">POST /${client.clientId}/link, with the policy of the user's newest session to prefill the form.</p>
<pre class="fold" tabindex="0">${JSON.stringify(linkRequest, null, 2)}</pre>
</section>`;
  return { title: 'Link · claimlink mock', root: '../', body };
}
