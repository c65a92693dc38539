// The landing page of callbacks: where a user is after a claim, when no client's page stands there yet.
import { html } from './html.js';
import type { Page } from './page.js';

/** The page; both values come from its own query, and may be anything. */
export function callbackPage({
  reference,
  status,
}: {
  reference: string | undefined;
  status: string | undefined;
}): Page {
  const body = html`<section class="card narrow">
<h1>You are back at the callback</h1>
<p class="muted">Here your own page would take over: this is where the link's <code>callbackUrl</code> leads.</p>
<dl class="keys">
<dt>Reference</dt><dd>${reference === undefined ? html`<span class="muted">none in the URL</span>` : html`<code>${reference}</code>`}</dd>
<dt>Status</dt><dd>${status === undefined ? html`<span class="muted">none in the URL</span>` : html`<span class="badge">${status}</span>`}</dd>
</dl>
<p class="hint">Write <code>{SESSION_REFERENCE}</code> and <code>{STATUS}</code> into a callbackUrl to get them.</p>
<p><a class="button" href="../">To the dashboard</a></p>
</section>`;
  return { title: 'Callback · claimlink mock', root: '../', body };
}
