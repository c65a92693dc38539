// The journal on the dashboard: the last requests to the service, newest first.
import type { AppliedFault, JournalEntry } from '../control.js';
import { buttonForm } from './dashboard-fields.js';
import type { DashboardView } from './dashboard-view.js';
import { type Html, html } from './html.js';

/** Requests that are shown. */
const SHOWN = 50;

/** The card. Requests that name no client stand in it, too: a client that misspells its own id looks for them here. */
export function journalCard(view: DashboardView): Html {
  const { control, client, isForAll } = view;
  const entries = control
    .requests()
    .filter(({ clientId }) => isForAll || clientId === null || clientId === client.clientId);
  const shown = entries.slice(-SHOWN).reverse();
  return html`<section class="card" aria-labelledby="journal" data-live="journal">
<div class="head"><h2 id="journal" tabindex="-1">Requests <span class="count">${entries.length > shown.length ? `last ${shown.length} of ${entries.length}` : entries.length}</span></h2>
${buttonForm(view, 'clear-journal', { label: 'Clear', about: 'the journal', isDisabled: entries.length === 0, isQuiet: true })}</div>
${
  shown.length > 0
    ? html`<div class="window" tabindex="0" role="region" aria-label="The last requests, newest first"><ol class="journal">${shown.map((entry) => row(entry, isForAll))}</ol></div>`
    : html`<p class="empty">No requests yet. Each call of the API shows here as it comes.</p>`
}
</section>`;
}

function row(
  { id, time, method, path, route, clientId, status, durationMs, fault }: JournalEntry,
  isForAll: boolean,
): Html {
  const iso = time.toISOString();
  return html`<li id="request-${id}"><time datetime="${iso}" title="${iso}">${iso.slice(11, 23)}</time>
<span class="status ${statusClass(status)}">${status ?? 'cut'}</span>
<span class="call"><b>${method}</b> <code>${path}</code></span>
<span class="more">${route ?? 'no route'}${isForAll && clientId !== null && ` · ${clientId}`}${fault && html` <span class="fault">${describe(fault)}</span>`}</span>
<span class="took">${toDuration(durationMs)}</span></li>`;
}

function statusClass(status: number | null): string {
  return status === null || status >= 500 ? 'bad' : status >= 400 ? 'odd' : 'good';
}

function describe({ status, effect, delayMs }: AppliedFault): string {
  const parts = [
    status !== undefined && String(status),
    effect,
    delayMs !== undefined && `+${toDuration(delayMs)}`,
  ];
  return `fault: ${parts.filter(Boolean).join(', ')}`;
}

/** Milliseconds as people read them. */
export function toDuration(ms: number): string {
  if (ms < 1) return '<1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
