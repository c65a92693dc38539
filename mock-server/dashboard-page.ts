// The dashboard as a page: a client, its users, one user's sessions, curl lines, and the form that makes a link.
import {
  type ClaimlinkError,
  type Session,
  type SessionPage,
  STEP_KEYS,
  type StepKey,
} from '../lib/index.js';
import { type Html, html } from './html.js';
import type { MockClientOptions } from './options.js';
import type { Page } from './page.js';
import { MAGIC_USERS } from './seed.js';
import type { World } from './world.js';

/** What the form holds. */
export interface LinkForm {
  userId: string;
  callbackUrl: string;
  callbackOnSubmit: boolean;
  /** undefined: the widget's own first step. */
  initialStepKey: StepKey | undefined;
}

/** What is on the dashboard. */
export interface DashboardView extends World {
  root: './' | '../';
  client: MockClientOptions;
  userId: string;
  /** undefined when it could not be had; `problem` says why. */
  listing: SessionPage | undefined;
  isFirstPage: boolean;
  form: LinkForm;
  problem: ClaimlinkError | undefined;
}

/** The page. */
export function dashboardPage(view: DashboardView): Page {
  const { client, clients, userId, problem } = view;
  const body = html`<h1>${client.name ?? client.clientId}</h1>
${problem && notice(problem)}
${clients.length > 1 && clientTabs(view)}
<div class="columns">
<div class="stack">
${usersCard(view)}
${sessionsCard(view)}
${terminalCard(view)}
</div>
<div class="stack">
${clientCard(view)}
${formCard(view)}
</div>
</div>`;
  const aside = html`<dl class="facts">
<div><dt>Seed</dt><dd><code>${view.seed}</code></dd></div>
<div><dt>API</dt><dd><a href="${view.root}__mock/openapi.json">OpenAPI</a></dd></div>
</dl>`;
  return { title: `${userId} · ${client.clientId} · claimlink mock`, root: view.root, body, aside };
}

function notice(problem: ClaimlinkError): Html {
  // The message says it all when one parameter is wrong.
  const details = (problem.details ?? []).filter(({ pointer }) => pointer !== undefined);
  return html`<div class="notice" role="alert"><p>${problem.message}</p>${
    details.length > 0 &&
    html`<ul>${details.map(({ pointer, detail }) => html`<li><code>${pointer}</code> ${detail}</li>`)}</ul>`
  }</div>`;
}

function clientTabs({ clients, client, root }: DashboardView): Html {
  return html`<nav aria-label="Clients"><ul class="tabs">${clients.map(
    ({ clientId }) =>
      html`<li><a href="${root}?${toQuery({ client: clientId })}"${current(clientId === client.clientId)}>${clientId}</a></li>`,
  )}</ul></nav>`;
}

function usersCard({ client, root, userId, userIds }: DashboardView): Html {
  const shown = [...userIds, ...Object.keys(MAGIC_USERS)];
  if (!shown.includes(userId) && userId !== '') shown.push(userId);
  return html`<section class="card" aria-labelledby="users">
<h2 id="users">Users</h2>
<nav aria-label="Users"><ul class="tabs">${shown.map(
    (id) =>
      html`<li><a href="${root}?${toQuery({ client: client.clientId, user: id })}"${current(id === userId)}>${id}</a></li>`,
  )}</ul></nav>
<form class="lookup" action="${root}" method="get">
<input type="hidden" name="client" value="${client.clientId}">
<label>Any other user id has sessions too<input name="user" required maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<button class="button">Show</button>
</form>
</section>`;
}

function clientCard({ client, publicUrl }: DashboardView): Html {
  return html`<section class="card" aria-labelledby="client">
<h2 id="client">Client</h2>
<dl class="keys">
<dt>Id</dt><dd><code>${client.clientId}</code></dd>
<dt>API key</dt><dd><code>${client.apiKey}</code></dd>
<dt>Base URL</dt><dd><code>${publicUrl}</code></dd>
</dl>
</section>`;
}

function sessionsCard({ client, listing, userId, root, isFirstPage }: DashboardView): Html {
  if (listing === undefined) return html``;
  const { sessions, nextCursor } = listing;
  const query = { client: client.clientId, user: userId };
  return html`<section class="card" aria-labelledby="sessions">
<h2 id="sessions">Sessions of ${userId} <span class="count">${countOf(sessions.length, nextCursor, isFirstPage)}</span></h2>
${sessions.length > 0 ? sessionTable(sessions) : html`<p class="empty">No sessions yet. Make a link, open it and submit a claim: it shows up here.</p>`}
${
  (nextCursor !== undefined || !isFirstPage) &&
  html`<p class="row">
${!isFirstPage && html`<a class="button" href="${root}?${toQuery(query)}">Newest</a>`}
${nextCursor !== undefined && html`<a class="button" href="${root}?${toQuery({ ...query, cursor: nextCursor })}">Older</a>`}
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
    ({ reference, status, createdAt, selectedPolicy: { number, provider, vehicle } }) => html`<tr>
<td class="fixed" data-label="Reference"><code>${reference}</code></td>
<td data-label="Status"><span><span class="badge">${status}</span></span></td>
<td class="fixed" data-label="Created"><time datetime="${createdAt.toISOString()}">${createdAt.toISOString().slice(0, 16).replace('T', ' ')}</time></td>
<td class="fixed" data-label="Policy"><code>${number}</code></td>
<td data-label="Provider"><span>${provider}</span></td>
<td class="fixed" data-label="Plate"><span>${vehicle.licensePlate}</span></td>
</tr>`,
  )}</tbody>
</table></div>`;
}

function terminalCard({ client, userId, samples }: DashboardView): Html {
  return html`<section class="card" aria-labelledby="terminal">
<h2 id="terminal">From your terminal</h2>
<h3 class="hint">List the sessions of ${userId}</h3>
<pre class="fold" tabindex="0">${samples.listCommand(client, userId)}</pre>
<h3 class="hint">Make a link for ${userId}, then open the URL it answers</h3>
<pre class="fold" tabindex="0">${samples.linkCommand(client, userId)}</pre>
</section>`;
}

function formCard({ client, form, root }: DashboardView): Html {
  return html`<section class="card" aria-labelledby="make">
<h2 id="make">Make a link</h2>
<form action="${root}__mock/links" method="post">
<input type="hidden" name="client" value="${client.clientId}">
<label>User id<input class="mono" name="user" value="${form.userId}" required maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<label>Callback URL<input class="mono" name="callbackUrl" value="${form.callbackUrl}" required autocomplete="off" spellcheck="false" aria-describedby="callback-hint"></label>
<p class="hint" id="callback-hint">Where the user goes afterwards. Default: a page of this mock.</p>
<label>First step<select name="initialStepKey"><option value="">Default</option>${STEP_KEYS.map(
    (key) => html`<option value="${key}"${key === form.initialStepKey && html` selected`}>${key}</option>`,
  )}</select></label>
<label class="check"><input type="checkbox" name="callbackOnSubmit" value="true"${form.callbackOnSubmit && html` checked`}> <span>Redirect at once, without a success page</span></label>
<button class="button primary">Make the link</button>
</form>
</section>`;
}

function current(isCurrent: boolean): Html | false {
  return isCurrent && html` aria-current="page"`;
}

function toQuery(values: Record<string, string>): string {
  return new URLSearchParams(values).toString();
}
