// The dashboard as a page: the client and its users on top, what there is and happens on the left, controls on the right.
import type { Session } from '../../lib/index.js';
import { clientsCard, usersCard } from './dashboard-clients.js';
import { clockCard } from './dashboard-clock.js';
import { faultsCard } from './dashboard-faults.js';
import { fieldId, placeOf } from './dashboard-fields.js';
import { formCard } from './dashboard-form.js';
import { journalCard } from './dashboard-journal.js';
import { linksCard } from './dashboard-links.js';
import { DASHBOARD_SCRIPT } from './dashboard-script.js';
import { type DashboardView, pageHref, toMinute } from './dashboard-view.js';
import { worldCard } from './dashboard-world.js';
import { type Html, html } from './html.js';
import type { Page } from './page.js';

/** The page. */
export function dashboardPage(view: DashboardView): Page {
  const { client, userId, root, cursor, isForAll } = view;
  // With one client, everything that happens is its own, also what names no client.
  const events =
    isForAll || view.control.clients.length === 1 ? '' : `?client=${encodeURIComponent(client.clientId)}`;
  const here = pageHref(root, { client: client.clientId, user: userId, cursor, isForAll });
  const body = html`<h1 class="vh">${client.name ?? client.clientId}</h1>
<div data-part="notice" class="notices">${notices(view)}</div>
${clientsCard(view)}
<div class="columns">
<div class="stack">
${usersCard(view)}
${formCard(view)}
${linksCard(view)}
${sessionsCard(view)}
${journalCard(view)}
</div>
<div class="stack">
${scopeTabs(view)}
${clockCard(view)}
${faultsCard(view)}
${worldCard(view)}
</div>
</div>
<p class="vh" role="status" id="announcer"></p>`;
  const aside = html`<div class="facts"><span id="live" class="live" role="status" hidden></span> <span>Seed <code>${view.seed}</code></span> <a href="${root}__mock/openapi.json">OpenAPI</a></div>`;
  return {
    title: `${view.problem ? 'Error: ' : ''}${userId} · ${client.clientId} · claimlink mock`,
    root,
    body,
    aside,
    script: DASHBOARD_SCRIPT,
    data: { page: here, client: client.clientId, events: `${root}__mock/events${events}` },
  };
}

function notices({ problem, refused, madeLink }: DashboardView): Html {
  if (problem) {
    // The message says it all when one parameter of the query is wrong.
    const details = (problem.details ?? []).filter((detail) => refused || detail.pointer !== undefined);
    return html`<div class="notice bad" role="alert" tabindex="-1"><p>${refused && details.length > 0 ? 'This was not accepted:' : problem.message}</p>${
      details.length > 0 &&
      html`<ul>${details.map((detail) => {
        const place = placeOf(detail);
        const name = html`<code>${place}</code>`;
        return html`<li>${place !== undefined && (refused ? html`<a href="#${encodeURI(fieldId(refused.action, place))}">${name}</a>` : name)} ${detail.detail}</li>`;
      })}</ul>`
    }</div>`;
  }
  if (madeLink === undefined) return html``;
  const { url, userId } = madeLink;
  return html`<div class="notice good" role="status" tabindex="-1"><p>The link for <bdi>${userId}</bdi> is ready. <a href="${url}" target="_blank" rel="noopener" id="open-made-link">Open it in a new tab</a></p></div>`;
}

function scopeTabs({ root, client, userId, cursor, isForAll }: DashboardView): Html {
  const tab = (label: string, all: boolean) =>
    html`<li><a href="${pageHref(root, { client: client.clientId, user: userId, cursor, isForAll: all })}"${all === isForAll && html` aria-current="true"`}>${label}</a></li>`;
  return html`<nav aria-labelledby="controls"><p class="for" id="controls">Clock, faults and world of</p><ul class="switch">${tab(client.clientId, false)}${tab('All clients', true)}</ul></nav>`;
}

function sessionsCard(view: DashboardView): Html {
  const { client, listing, listingProblem, userId, root, cursor, isForAll } = view;
  const { sessions, nextCursor } = listing ?? { sessions: [] };
  const state = { client: client.clientId, user: userId, isForAll };
  const isFirstPage = cursor === undefined;
  return html`<section class="card" aria-labelledby="sessions" data-live="sessions">
<h2 id="sessions" tabindex="-1">Sessions of <bdi>${userId}</bdi> ${listing && html`<span class="count">${countOf(sessions.length, nextCursor, isFirstPage)}</span>`}</h2>
${
  sessions.length > 0
    ? sessionTable(sessions)
    : html`<p class="empty">${listingProblem ?? 'No sessions yet. Make a link, open it and submit a claim: it shows up here.'}</p>`
}
${
  (nextCursor !== undefined || !isFirstPage) &&
  html`<p class="row">
${!isFirstPage && html`<a class="button small" href="${pageHref(root, state)}">Newest</a>`}
${nextCursor !== undefined && html`<a class="button small" href="${pageHref(root, { ...state, cursor: nextCursor })}">Older</a>`}
</p>`
}
</section>`;
}

function countOf(count: number, nextCursor: string | undefined, isFirstPage: boolean): string {
  if (!isFirstPage) return `${count} older`;
  return nextCursor === undefined ? String(count) : `newest ${count}`;
}

function sessionTable(sessions: readonly Session[]): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Reference</th><th scope="col">Status</th><th scope="col">Created</th><th scope="col">Policy</th><th scope="col">Provider</th><th scope="col">Plate</th></tr></thead>
<tbody>${sessions.map(
    ({
      reference,
      status,
      createdAt,
      selectedPolicy: { number, provider, vehicle },
    }) => html`<tr id="session-${encodeURIComponent(reference)}">
<td class="fixed" data-label="Reference"><code>${reference}</code></td>
<td data-label="Status"><span><span class="state submitted">${status}</span></span></td>
<td class="fixed" data-label="Created"><time datetime="${createdAt.toISOString()}">${toMinute(createdAt)}</time></td>
<td class="fixed" data-label="Policy"><code>${number}</code></td>
<td data-label="Provider"><span>${provider}</span></td>
<td class="fixed" data-label="Plate"><span>${vehicle.licensePlate}</span></td>
</tr>`,
  )}</tbody>
</table></div>`;
}
