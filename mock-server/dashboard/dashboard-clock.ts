// The clock on the dashboard: what it shows, and how to turn it.
import { buttonForm, formStart, formState, selectField, textField } from './dashboard-fields.js';
import { type DashboardView, scopeOf, toMinuteAndSecond } from './dashboard-view.js';
import { type Html, html } from './html.js';

/** Units to advance the clock by, in milliseconds. */
export const CLOCK_UNITS = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;

const STEPS = [
  ['+1 min', CLOCK_UNITS.minutes],
  ['+1 h', CLOCK_UNITS.hours],
  ['+1 day', CLOCK_UNITS.days],
] as const;

/** The card. The face and the forms are parts of their own, so that what is being typed stays. */
export function clockCard(view: DashboardView): Html {
  const reading = view.control.clock.read(scopeOf(view));
  const { now, isFrozen, offsetMs } = reading;
  const advance = formState(view, 'advance-clock');
  const set = formState(view, 'set-clock');
  return html`<section class="card" aria-labelledby="clock">
<h2 id="clock" tabindex="-1">Clock</h2>
<div data-live="clock">
<p class="face"><time datetime="${now.toISOString()}" data-clock="${now.getTime()}"${isFrozen && html` data-frozen`}>${toMinuteAndSecond(now)}</time> <span class="muted">UTC</span></p>
<p class="hint">${isFrozen ? html`<span class="state frozen">frozen</span> stands still until it is turned` : describeOffset(offsetMs)}</p>
<div class="acts">${STEPS.map(([label, ms]) =>
    buttonForm(view, 'turn-clock', { label, about: 'on the clock', fields: { ms: String(ms) } }),
  )}${buttonForm(view, isFrozen ? 'resume-clock' : 'freeze-clock', { label: isFrozen ? 'Resume' : 'Freeze', about: 'the clock' })}${buttonForm(view, 'reset-clock', { label: 'Real time', about: 'for the clock', isDisabled: !isFrozen && offsetMs === 0 })}</div>
</div>
<details class="fold-away"${(view.refused?.action === 'advance-clock' || view.refused?.action === 'set-clock') && html` open`}><summary>Advance by, set to</summary><div class="folded">
${formStart(view, advance.action)}
<div class="fields joined">
${textField(advance, { name: '/amount', label: 'Advance by', fallback: '90', inputMode: 'decimal' })}
${selectField(advance, { name: '/unit', label: 'Unit', fallback: 'minutes', choices: Object.keys(CLOCK_UNITS).map((unit) => [unit, unit]) })}
<button class="button" id="advance-clock">Advance</button>
</div></form>
${formStart(view, set.action)}
<div class="fields joined">
${textField(set, { name: '/now', label: 'Set to (UTC)', fallback: now.toISOString().slice(0, 16), isMono: true, placeholder: 'YYYY-MM-DDTHH:MM', isWide: true })}
<button class="button" id="set-clock">Set</button>
</div></form>
</div></details>
</section>`;
}

function describeOffset(ms: number): string {
  if (ms === 0) return 'the real time';
  return `${toSpan(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} the real time`;
}

/** A span of time in its two greatest units: `1 d 2 h`. */
function toSpan(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return `${ms} ms`;
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
