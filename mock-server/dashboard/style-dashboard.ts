// The dashboard's part of the stylesheet.
import { type Html, html } from './html.js';

/** Follows `STYLE`. Constant, and without any character that escaping would change. */
export const DASHBOARD_STYLE: Html = html`
.vh { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main { padding-block: 1rem 3rem; }
main > * + *, .stack > * + * { margin-top: 1rem; }
.columns { gap: 1rem; }
.card { position: relative; padding: 1rem 1.125rem; }
.card > * + * { margin-top: .75rem; }
.card > .fold-away + .fold-away, form > .fold-away + .fold-away { margin-top: 0; }
.vh + .notices:empty + *, [data-live] > .vh + * { margin-top: 0; }
table { font-size: .875rem; }
h2:focus { outline: none; }
h2:focus-visible { outline: 2px solid var(--accent); }
.count { font-variant-numeric: tabular-nums; }
.head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .375rem .75rem; }
.notices:empty { display: none; }
.notice p { font-weight: 600; }
.notice.good { background: var(--good-tint); color: var(--good); }
.notice a { color: inherit; }
.live { display: inline-flex; align-items: center; gap: .375rem; padding: 0 .5rem; border-radius: 99px; background: var(--bad-tint); color: var(--bad); font-size: .75rem; font-weight: 600; }
.live[hidden] { display: none; }
.live::before { content: ''; width: .4375rem; height: .4375rem; border-radius: 50%; background: currentColor; }
.live[data-state=live] { background: var(--good-tint); color: var(--good); }
.facts { align-items: center; }
.facts-row { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin-top: .75rem; }
.facts-row div { min-width: 0; }
.facts-row .last { margin-left: auto; align-self: end; }
.facts-row dt { color: var(--muted); font-size: .75rem; }
.facts-row dd { display: flex; align-items: center; gap: .5rem; min-width: 0; }
.facts-row code { min-width: 0; overflow-wrap: anywhere; user-select: all; }
code, b, .tabs a, .switch a, .who, .button { unicode-bidi: isolate; }
.copy { flex: none; padding: 0 .4375rem; border: 1px solid var(--line); border-radius: 6px; background: var(--sunken); color: var(--muted); font: 600 .75rem/1.5 system-ui, sans-serif; cursor: pointer; }
.copy[hidden] { display: none; }
.copy:hover { border-color: var(--accent); color: var(--accent); }
.button.small { min-height: 1.75rem; padding: .125rem .625rem; border-radius: 7px; font-size: .8125rem; }
.button.quiet { border-color: var(--line); }
.button.quiet:hover { border-color: var(--accent); }
.button:disabled { border-color: var(--line); background: none; color: var(--muted); cursor: default; }
form.inline { display: inline-flex; margin: 0; }
form.inline > * + * { margin-top: 0; }
.acts { display: flex; flex-wrap: wrap; gap: .375rem; }
.acts > * { margin: 0; }
.fold-away > summary { padding-block: .375rem; color: var(--muted); font-size: .875rem; font-weight: 600; cursor: pointer; }
.fold-away > summary:hover { color: var(--accent); }
.folded { padding-block: .25rem .5rem; }
.folded > * + * { margin-top: .625rem; }
.folded .head + pre { margin-top: .25rem; }
fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
fieldset > .fields + .fields { margin-top: .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
legend { padding: 0; margin-bottom: .25rem; color: var(--muted); font-size: .8125rem; font-weight: 600; }
.fields { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem .75rem; align-items: start; }
.fields > *, .fields > * + * { margin-top: 0; }
.wide { grid-column: 1 / -1; }
.field label { font-size: .8125rem; }
.field input, .field select { min-height: 2.125rem; margin-top: .125rem; padding: .25rem .5rem; border-radius: 7px; }
.field .hint, .field .wrong { margin-top: .25rem; }
.field ::placeholder { color: var(--muted); opacity: 1; }
[aria-invalid] { border-color: var(--bad); }
.wrong { color: var(--bad); font-size: .8125rem; }
.stacked > * + * { margin-top: .5rem; }
.joined label { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.joined { grid-template-columns: minmax(0, 1fr) minmax(0, 1.25fr) auto; align-items: end; }
.joined .wide { grid-column: 1 / 3; }
.joined .button { min-height: 2.125rem; padding-block: .25rem; }
.lookup { grid-column: 1 / -1; }
.lookup .field { flex: 1 1 10rem; max-width: 18rem; }
.for { margin-bottom: .25rem; color: var(--muted); font-size: .8125rem; font-weight: 600; }
.switch { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); padding: .1875rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); list-style: none; }
.switch a { display: block; padding: .25rem .5rem; border-radius: 7px; color: var(--muted); font-weight: 600; font-size: .875rem; text-align: center; text-decoration: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.switch [aria-current] { background: var(--tint); color: var(--accent); }
.tabs a { padding: .125rem .6875rem; font-size: .875rem; }
.state { display: inline-block; padding: 0 .5rem; border-radius: 99px; background: var(--sunken); color: var(--muted); font-size: .75rem; font-weight: 600; line-height: 1.6; white-space: nowrap; }
.state.created { background: var(--tint); color: var(--accent); }
.state.opened, .state.frozen { background: var(--warm-tint); color: var(--warm); }
.state.submitted { background: var(--good-tint); color: var(--good); }
.state.revoked { background: var(--bad-tint); color: var(--bad); }
.links, .faults, .journal { margin: 0; padding: 0; list-style: none; }
.links li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .25rem 1rem; align-items: center; padding-block: .625rem; border-top: 1px solid var(--line); }
.links li:first-child, .faults li:first-child { border-top: 0; padding-top: 0; }
.links .what { display: flex; flex-wrap: wrap; align-items: baseline; gap: .125rem .625rem; grid-column: 1 / -1; }
.acts:empty { display: none; }
.links .url:has(+ .acts:empty) { grid-column: 1 / -1; }
.who { font-size: .875rem; font-weight: 600; overflow-wrap: anywhere; }
.past { color: var(--muted); font-size: .8125rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.past code { color: var(--text); }
.nowrap { white-space: nowrap; }
.links .url { display: flex; gap: .5rem; align-items: center; min-width: 0; }
.links .url code { min-width: 0; overflow: hidden; color: var(--muted); text-overflow: ellipsis; white-space: nowrap; }
.faults li { display: flex; gap: .75rem; align-items: center; justify-content: space-between; padding-block: .5rem; border-top: 1px solid var(--line); }
.faults p { min-width: 0; overflow-wrap: anywhere; }
.faults p .hint { display: block; }
.faults li > :last-child { flex: none; }
[data-live=world]:empty { display: none; }
[data-live] > * + * { margin-top: .625rem; }
[data-live] > .acts { margin-top: .75rem; }
.face { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.face .muted { font-size: .8125rem; font-weight: 400; letter-spacing: 0; }
[data-live] > .face + .hint { margin-top: 0; }
.window { max-height: 26rem; overflow-y: auto; border-top: 1px solid var(--line); }
.journal { font-size: .8125rem; }
.journal li { display: grid; grid-template-columns: 6rem 2.5rem minmax(0, 1fr) auto 4rem; gap: .75rem; align-items: baseline; padding: .3125rem .25rem .3125rem 0; border-bottom: 1px solid var(--line); }
.journal li:last-child { border-bottom: 0; }
.journal time, .journal .took { color: var(--muted); font-variant-numeric: tabular-nums; }
.journal .took { text-align: right; white-space: nowrap; }
.journal .call { overflow-wrap: anywhere; }
.journal b { font-weight: 600; }
.journal .more { color: var(--muted); text-align: right; }
.status { font-weight: 600; font-variant-numeric: tabular-nums; }
.status.good { color: var(--good); }
.status.odd { color: var(--warm); }
.status.bad { color: var(--bad); }
.fault { display: inline-block; padding: 0 .4375rem; border-radius: 99px; background: var(--warm-tint); color: var(--warm); font-weight: 600; white-space: nowrap; }
@media (min-width: 62rem) {
  .four { grid-template-columns: repeat(4, minmax(0, 1fr)); }
}
@media (min-width: 62rem) and (min-height: 60rem) {
  .stack + .stack { position: sticky; top: 1rem; }
}
@media (max-width: 46rem) {
  .wrap { padding-inline: .875rem; }
  .card { padding: .875rem; }
  .field input, .field select { min-height: 2.5rem; }
  .button.small { min-height: 2.25rem; }
  .copy { padding: .25rem .625rem; }
  .joined .button { min-height: 2.5rem; }
  .links li { grid-template-columns: minmax(0, 1fr); }
  .facts-row { display: grid; gap: .375rem; }
  .facts-row div:not(.last) { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: .5rem; align-items: center; }
  .facts-row .last { margin-left: 0; align-self: start; }
  .journal li { grid-template-columns: auto auto minmax(0, 1fr) auto; gap: .125rem .625rem; }
  .journal .call { grid-column: 1 / -1; grid-row: 2; }
  .journal .more { text-align: left; }
}
`;
