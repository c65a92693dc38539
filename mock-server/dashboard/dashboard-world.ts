// The world on the dashboard: its seed, reset and snapshots.
import { buttonForm, formStart, formState, textField } from './dashboard-fields.js';
import type { DashboardView } from './dashboard-view.js';
import { type Html, html } from './html.js';

const WHY_NOT =
  'This world lives in a database: there is no reset and there are no snapshots. Restart with an empty database instead.';

/** The card. */
export function worldCard(view: DashboardView): Html {
  const { seed, isDurable } = view;
  return html`<section class="card" aria-labelledby="world">
<div class="head"><h2 id="world" tabindex="-1">World</h2> <span class="hint">seed <code>${seed}</code></span></div>
${isDurable ? html`<p class="hint">${WHY_NOT}</p>` : resetAndSnapshots(view)}
</section>`;
}

function resetAndSnapshots(view: DashboardView): Html {
  const { snapshots, client, isForAll } = view;
  const form = formState(view, 'take-snapshot');
  const names = snapshots.names();
  return html`<div class="head">${buttonForm(view, 'reset', { label: isForAll ? 'Reset everything' : `Reset ${client.clientId}` })}
<span class="hint">sessions, links, clock, faults, requests</span></div>
<div data-live="world">${
    names.length > 0 &&
    html`<ul class="faults">${names.map(
      (name) =>
        html`<li tabindex="-1"><p><b>${name}</b></p>
<div class="acts">${buttonForm(view, 'restore-snapshot', { label: 'Restore', about: `the snapshot ${name}`, fields: { name }, isQuiet: true })}${buttonForm(view, 'forget-snapshot', { label: 'Delete', about: `the snapshot ${name}`, fields: { name }, isQuiet: true })}</div></li>`,
    )}</ul>`
  }</div>
${formStart(view, form.action)}
<div class="fields joined">
${textField(form, { name: '/name', label: `Snapshot of ${isForAll ? 'everything' : client.clientId}, named`, isWide: true, placeholder: 'before-checkout', maxLength: 100 })}
<button class="button" id="take-snapshot">Take</button>
</div></form>`;
}
