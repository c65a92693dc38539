// The clients on the dashboard, what one needs to call the API as the one that is shown, and its users.

import { MAGIC_USERS } from '../world/magic-users.js';
import { buttonForm, copyButton, formStart, formState, textField } from './dashboard-fields.js';
import { type DashboardView, pageHref } from './dashboard-view.js';
import { type Html, html } from './html.js';

/** Users that are named; there may be very many. */
const SHOWN_USERS = 20;

/** The card of the clients. */
export function clientsCard(view: DashboardView): Html {
  const { client, publicUrl, control, root, isForAll } = view;
  const { clientId, apiKey, name } = client;
  const isRemovable = !view.isConfigured(clientId) && !view.isDurable;
  return html`<section class="card" aria-labelledby="clients">
<div data-live="clients">
<h2 id="clients" class="vh" tabindex="-1">Clients</h2>
<nav aria-label="Clients"><ul class="tabs">${control.clients.map(
    (other) =>
      html`<li><a href="${pageHref(root, { client: other.clientId, isForAll })}"${current(other.clientId === clientId)}>${other.clientId}</a></li>`,
  )}</ul></nav>
<dl class="facts-row">
${name !== undefined && html`<div><dt>Name</dt><dd>${name}</dd></div>`}
<div><dt>Client id</dt><dd><code>${clientId}</code>${copyButton(clientId, 'the client id')}</dd></div>
<div><dt>API key</dt><dd><code>${apiKey}</code>${copyButton(apiKey, 'the API key')}</dd></div>
<div><dt>Base URL</dt><dd><code>${publicUrl}</code>${copyButton(publicUrl, 'the base URL')}</dd></div>
${isRemovable && html`<div class="last">${buttonForm(view, 'remove-client', { label: 'Remove this client', isQuiet: true })}</div>`}
</dl>
</div>
${curlLines(view)}
${addClient(view)}
</section>`;
}

function curlLines({ client, userId, samples }: DashboardView): Html {
  const line = (title: Html, command: string, what: string) =>
    html`<div class="head"><h3 class="hint">${title}</h3>${copyButton(command, what)}</div><pre class="fold" tabindex="0">${command}</pre>`;
  return html`<details class="fold-away"><summary>From your terminal</summary><div class="folded">
${line(html`List the sessions of <bdi>${userId}</bdi>`, samples.listCommand(client, userId), 'the line that lists sessions')}
${line(html`Make a link for <bdi>${userId}</bdi>, then open the URL it answers`, samples.linkCommand(client, userId), 'the line that makes a link')}
</div></details>`;
}

function addClient(view: DashboardView): Html {
  const form = formState(view, 'add-client');
  return html`<details class="fold-away"${view.refused?.action === form.action && html` open`}><summary>Add a client</summary><div class="folded">
${formStart(view, form.action)}
<div class="fields four">
${textField(form, { name: '/clientId', label: 'Id of the new client', isMono: true, placeholder: 'made up' })}
${textField(form, { name: '/apiKey', label: 'Its API key', isMono: true, placeholder: 'made up' })}
${textField(form, { name: '/name', label: 'Its name', placeholder: 'none' })}
${textField(form, { name: '/callbackOrigins', label: 'Callback origins', isMono: true, placeholder: 'any https origin' })}
</div>
<p class="row"><button class="button" id="add-client">Add the client</button> <span class="hint">Several callback origins: with spaces between them.</span></p>
</form>
</div></details>`;
}

/** The card of the users. */
export function usersCard(view: DashboardView): Html {
  const { client, root, userId, userIds, isForAll } = view;
  const shown: string[] = [...userIds.slice(0, SHOWN_USERS), ...MAGIC_USERS.map(({ id }) => id)];
  if (!shown.includes(userId) && userId !== '') shown.push(userId);
  return html`<section class="card" aria-labelledby="users">
<h2 id="users" tabindex="-1">Users</h2>
<nav aria-label="Users" data-live="users"><ul class="tabs">${shown.map(
    (id) =>
      html`<li><a href="${pageHref(root, { client: client.clientId, user: id, isForAll })}"${current(id === userId)}>${id}</a></li>`,
  )}</ul></nav>
${userIds.length > SHOWN_USERS && html`<p class="hint">The first ${SHOWN_USERS} of ${userIds.length} users that were asked for.</p>`}
<form class="lookup" action="${root}" method="get">
<input type="hidden" name="client" value="${client.clientId}">${isForAll && html`<input type="hidden" name="scope" value="all">`}
<div class="field"><label for="any-user">Any other user id</label>
<input id="any-user" name="user" required maxlength="100" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
<button class="button">Show</button>
</form>
<details class="fold-away"><summary>Users with a meaning</summary><dl class="keys">${MAGIC_USERS.map(({ id, does }) => html`<dt><code>${id}</code></dt><dd>${does}</dd>`)}</dl></details>
</section>`;
}

function current(isCurrent: boolean): Html | false {
  return isCurrent && html` aria-current="page"`;
}
