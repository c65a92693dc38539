// The stylesheet of the mock's pages, light and dark.
import { type Html, html } from './html.js';

/** Constant, and without any character that escaping would change. */
export const STYLE: Html = html`
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --sunken: #f1f3f6; --line: #e1e5eb; --edge: #8a94a6;
  --text: #1a202c; --muted: #5a6577; --accent: #4338ca; --accent-hover: #3730a3; --on-accent: #fff;
  --tint: #eef0ff; --good: #14683a; --good-tint: #e5f5ec; --bad: #a8201a; --bad-tint: #fdeeed;
  --warm: #7a4a00; --warm-tint: #fdf2dc;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1218; --card: #171b23; --sunken: #0f131a; --line: #2a303c; --edge: #6b7688;
    --text: #e6e9ef; --muted: #9ea8b8; --accent: #a5a8ff; --accent-hover: #c3c5ff; --on-accent: #14143a;
    --tint: #232748; --good: #7fd6a3; --good-tint: #14301f; --bad: #ffa198; --bad-tint: #3a1b1a;
    --warm: #f0c674; --warm-tint: #33270f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: .9375rem/1.5 system-ui, sans-serif; }
h1, h2, h3, p, dl, dd, ul, pre { margin: 0; padding: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; line-height: 1.3; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { color: var(--accent-hover); }
code, pre, .mono { font-family: var(--mono); font-size: .8125rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -999rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: .5rem; top: .5rem; z-index: 1; }
.wrap { max-width: 80rem; margin: 0 auto; padding-inline: 1.25rem; }
.muted { color: var(--muted); }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top .wrap { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; min-height: 3.5rem; padding-block: .5rem; }
.brand { display: inline-flex; align-items: center; gap: .5rem; color: var(--text); font-weight: 650; font-size: 1.0625rem; text-decoration: none; }
.brand:hover { color: var(--text); }
.logo { fill: #4f46e5; }
.logo path { fill: none; stroke: #fff; stroke-width: 3.5; stroke-linecap: round; stroke-linejoin: round; }
.tag { padding: .0625rem .5rem; border-radius: 99px; background: var(--tint); color: var(--accent); font-size: .75rem; font-weight: 600; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-left: auto; font-size: .8125rem; }
.facts div { display: flex; gap: .375rem; align-items: baseline; }
.facts dt { color: var(--muted); }
main { padding-block: 1.5rem 3rem; }
main > * + *, .stack > * + * { margin-top: 1.25rem; }
.card { min-width: 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.card > * + * { margin-top: .875rem; }
.card > h2 + p.hint { margin-top: .125rem; }
.card > .hint + pre { margin-top: .375rem; }
.card > pre + h2 { margin-top: 1.5rem; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-items: start; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .375rem; padding: 0; list-style: none; }
.tabs a { display: block; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 99px; background: var(--card); color: var(--text); text-decoration: none; overflow-wrap: anywhere; }
.tabs a:hover { border-color: var(--accent); color: var(--accent); }
.tabs [aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.tabs [aria-current]:hover { color: var(--on-accent); }
.keys { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; align-items: baseline; }
.keys dt { color: var(--muted); }
.keys code { user-select: all; overflow-wrap: anywhere; }
pre { padding: .75rem .875rem; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; line-height: 1.55; overflow-x: auto; tab-size: 2; user-select: all; }
.fold { white-space: pre-wrap; overflow-wrap: anywhere; }
.badge { display: inline-block; padding: 0 .5rem; border-radius: 99px; background: var(--good-tint); color: var(--good); font-size: .8125rem; font-weight: 600; }
.notice { padding: .75rem 1rem; border-radius: 8px; background: var(--bad-tint); color: var(--bad); }
.notice ul { padding-left: 1.25rem; }
.count { color: var(--muted); font-weight: 400; }
table { width: 100%; border-collapse: collapse; }
th { padding: .375rem .75rem .375rem 0; color: var(--muted); font-size: .8125rem; font-weight: 600; text-align: left; }
td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); vertical-align: baseline; }
td:last-child, th:last-child { padding-right: 0; }
td.fixed, .badge { white-space: nowrap; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.empty { padding: 1.5rem; border: 1px dashed var(--line); border-radius: 8px; color: var(--muted); text-align: center; }
label { display: block; font-weight: 600; font-size: .875rem; }
.hint { color: var(--muted); font-size: .8125rem; }
form > * + * { margin-top: .75rem; }
input, select { display: block; width: 100%; min-height: 2.375rem; margin-top: .25rem; padding: .375rem .625rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--text); font: inherit; font-weight: 400; }
input.mono { font-family: var(--mono); font-size: .8125rem; }
.check { display: flex; gap: .5rem; align-items: baseline; font-weight: 400; }
.check input { flex: none; width: auto; min-height: 0; margin: 0; accent-color: var(--accent); transform: translateY(.1em); }
.lookup { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
.lookup label { flex: 1 1 10rem; max-width: 18rem; }
.lookup > * + * { margin-top: 0; }
.button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.375rem; padding: .375rem 1rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--text); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; }
.button:hover { border-color: var(--accent); color: var(--accent); }
.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); color: var(--on-accent); }
.narrow { max-width: 46rem; margin-inline: auto; }
@media (min-width: 62rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 21rem; }
  }
@media (max-width: 46rem) {
  .facts { margin-left: 0; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tr { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .125rem .75rem; padding: .625rem 0; border-top: 1px solid var(--line); }
  td { display: contents; overflow-wrap: anywhere; }
  td.fixed { white-space: normal; }
  td::before { content: attr(data-label); color: var(--muted); font-size: .8125rem; }
  .button { min-height: 2.75rem; }
  input, select { min-height: 2.75rem; font-size: 1rem; }
  .check input { min-height: 0; }
}
`;
