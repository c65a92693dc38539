// The faults on the dashboard: those that are set, and a form to set one.
import { type ActiveFault, FAULT_EFFECTS, type FaultEffect, ROUTE_NAMES } from '../control.js';
import { buttonForm, formStart, formState, selectField, textField } from './dashboard-fields.js';
import { toDuration } from './dashboard-journal.js';
import type { DashboardView } from './dashboard-view.js';
import { type Html, html } from './html.js';

const EFFECTS: Readonly<Record<FaultEffect, string>> = {
  cut: 'cut the connection, do nothing',
  lose: 'do it, then cut the connection',
  truncate: 'break off in the body',
  malformed: 'send a malformed body',
};

const STATUSES = ['400', '401', '404', '409', '429', '500', '502', '503', '504'];

/** The card. */
export function faultsCard(view: DashboardView): Html {
  const { control, client, isForAll } = view;
  const faults = control
    .faults()
    .filter(({ clientId }) => isForAll || clientId === undefined || clientId === client.clientId);
  return html`<section class="card" aria-labelledby="faults">
<div data-live="faults">
<div class="head"><h2 id="faults" tabindex="-1">Faults <span class="count">${faults.length}</span></h2>
${faults.length > 1 && buttonForm(view, 'clear-faults', { label: 'Clear', about: isForAll ? 'all faults' : `all faults of ${client.clientId}`, isQuiet: true })}</div>
${
  faults.length > 0
    ? html`<ul class="faults">${faults.map((fault) => faultRow(view, fault))}</ul>`
    : html`<p class="hint">None: the service answers as it does in production.</p>`
}
</div>
${faultForm(view)}
</section>`;
}

function faultRow(view: DashboardView, fault: ActiveFault): Html {
  const { id, hits, clientId, route } = fault;
  const what = describe(fault);
  return html`<li id="fault-${id}" tabindex="-1"><p><b>${what}</b> <span class="hint">${route ?? 'every route'} · ${clientId ?? 'all clients'} · ${limits(fault)}${hits} ${hits === 1 ? 'hit' : 'hits'}</span></p>
${buttonForm(view, 'clear-fault', { label: 'Clear', about: `the fault ${what}`, fields: { fault: id }, isQuiet: true })}</li>`;
}

function describe({ status, effect, delayMs }: ActiveFault): string {
  const delay =
    delayMs === undefined
      ? undefined
      : `wait ${typeof delayMs === 'number' ? toDuration(delayMs) : delayMs.map(toDuration).join(' to ')}`;
  const parts = [delay, status !== undefined && `answer ${status}`, effect && EFFECTS[effect]];
  return parts.filter(Boolean).join(', then ');
}

function limits({ times, rate }: ActiveFault): string {
  const parts = [
    times !== undefined && `${times} left`,
    rate !== undefined && rate < 1 && `${Number((rate * 100).toFixed(2))}% of requests`,
  ];
  return parts
    .filter(Boolean)
    .map((part) => `${part} · `)
    .join('');
}

function faultForm(view: DashboardView): Html {
  const form = formState(view, 'add-fault');
  return html`${formStart(view, form.action)}
<div class="stacked">
${selectField(form, { name: '/route', label: 'Route', choices: [['', 'every route'], ...ROUTE_NAMES.map((name) => [name, name] as const)] })}
${selectField(form, {
  name: '/effect',
  label: 'What happens',
  fallback: 'status',
  choices: [
    ['status', 'answer with the status'],
    ...FAULT_EFFECTS.map((effect) => [effect, EFFECTS[effect]] as const),
    ['delay', 'only wait'],
  ],
})}
</div>
<div class="fields">
${textField(form, { name: '/status', label: 'Status', fallback: '503', inputMode: 'numeric', choices: STATUSES })}
${textField(form, { name: '/delayMs', label: 'Delay, ms', placeholder: '100-800' })}
${textField(form, { name: '/times', label: 'Times', fallback: '1', placeholder: 'always', inputMode: 'numeric' })}
${textField(form, { name: '/rate', label: 'Rate', placeholder: '0 to 1', inputMode: 'decimal' })}
</div>
<p class="row"><button class="button" id="add-fault">Set the fault</button> <span class="hint">for ${view.isForAll ? 'all clients' : view.client.clientId}</span></p>
</form>`;
}
