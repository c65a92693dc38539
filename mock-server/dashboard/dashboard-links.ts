// The client's links on the dashboard: what state each is in, and what can be done to it.
import type { MockClock, MockLink } from '../control.js';
import { buttonForm, copyButton } from './dashboard-fields.js';
import { type DashboardView, pageHref, toMinuteAndSecond } from './dashboard-view.js';
import { type Html, html } from './html.js';

/** Links that are shown. */
const SHOWN = 20;

/** The card; newest link first. */
export function linksCard(view: DashboardView): Html {
  const { control, client } = view;
  const links = control.links({ clientId: client.clientId });
  const shown = links.slice(-SHOWN).reverse();
  const expiry = msUntilExpiry(links, control.clock, client.clientId);
  return html`<section class="card" aria-labelledby="links" data-live="links"${expiry !== undefined && html` data-expiry="${expiry}"`}>
<h2 id="links" tabindex="-1">Links <span class="count">${links.length > shown.length ? `newest ${shown.length} of ${links.length}` : links.length}</span></h2>
${
  shown.length > 0
    ? html`<ul class="links">${shown.map((link) => linkRow(view, link))}</ul>`
    : html`<p class="empty">No links yet. Make one above, or with the API: whatever becomes of it shows here at once.</p>`
}
</section>`;
}

/** Milliseconds until the next link expires by the mock's clock; undefined when none will, or the clock stands. */
function msUntilExpiry(links: readonly MockLink[], clock: MockClock, clientId: string): number | undefined {
  const { now, isFrozen } = clock.read({ clientId });
  if (isFrozen) return undefined;
  const open = links.filter(({ state }) => state === 'created' || state === 'opened');
  if (open.length === 0) return undefined;
  return Math.max(0, Math.min(...open.map(({ expiresAt }) => expiresAt.getTime())) - now.getTime());
}

function linkRow(view: DashboardView, link: MockLink): Html {
  const { id, url, userId, state } = link;
  const isUsable = state === 'created' || state === 'opened';
  const about = `the link of ${userId}`;
  const button = (action: string, label: string) =>
    buttonForm(view, action, { label, about, fields: { link: id }, isQuiet: true });
  return html`<li id="link-${id}" tabindex="-1">
<p class="what"><span class="state ${state}">${state}</span> <a class="who" href="${pageHref(view.root, { client: link.clientId, user: userId, isForAll: view.isForAll })}">${userId}</a> ${history(link)}</p>
<p class="url"><code title="${url}">${url}</code>${copyButton(url, `the URL of ${about}`)}</p>
<div class="acts">${isUsable && html`<a class="button small" href="${url}" target="_blank" rel="noopener">Open<span class="vh"> ${about} in a new tab</span></a>${button('submit-link', 'Submit')}${button('expire-link', 'Expire')}${button('revoke-link', 'Revoke')}`}</div>
</li>`;
}

function history({
  state,
  createdAt,
  expiresAt,
  openedAt,
  submittedAt,
  revokedAt,
  reference,
}: MockLink): Html {
  const parts: readonly (Html | undefined)[] = [
    moment('made', createdAt),
    openedAt && moment('opened', openedAt),
    submittedAt && moment('submitted', submittedAt),
    reference === undefined ? undefined : html`<code>${reference}</code>`,
    revokedAt && moment('revoked', revokedAt),
    state === 'submitted' || state === 'revoked'
      ? undefined
      : moment(state === 'expired' ? 'expired' : 'expires', expiresAt),
  ];
  return html`<span class="past">${parts.filter((part) => part !== undefined).map((part, index) => html`${index > 0 && ' · '}${part}`)}</span>`;
}

function moment(what: string, at: Date): Html {
  return html`<span class="nowrap">${what} <time datetime="${at.toISOString()}">${toMinuteAndSecond(at)}</time></span>`;
}
