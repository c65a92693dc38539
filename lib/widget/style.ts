// The stylesheet of all standalone pages.

const CSS = `
:root {
  color-scheme: light dark;
  --page: #f3f5f9;
  --card: #ffffff;
  --line: #dbe1ea;
  --edge: #75839a;
  --text: #17212f;
  --muted: #55617a;
  --accent: #14508c;
  --accent-strong: #0d3d6e;
  --on-accent: #ffffff;
  --tint: #eaf1f9;
  --bad: #b3261e;
  --bad-tint: #fdf0ef;
  --good: #1b7340;
  --shadow: 0 1px 2px rgb(16 32 56 / 8%), 0 8px 24px rgb(16 32 56 / 6%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e141c;
    --card: #17202c;
    --line: #2b384a;
    --edge: #7788a1;
    --text: #e9eef5;
    --muted: #aab7c9;
    --accent: #86bdf6;
    --accent-strong: #aed3fa;
    --on-accent: #0b1a2b;
    --tint: #1e2c3e;
    --bad: #ff9e94;
    --bad-tint: #35201f;
    --good: #74d19a;
    --shadow: none;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, dl, dd, ul, ol { margin: 0; padding: 0; }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { font-size: 1.375rem; line-height: 1.25; }
h3 { font-size: 1.0625rem; line-height: 1.3; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { color: var(--accent-strong); text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1:focus, h2:focus { outline: none; }
.vh {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.muted, .hint, .optional, .lead { color: var(--muted); }
.optional { font-weight: 400; }
html:not(.js) .js-only { display: none; }
.js .step:not([data-current]) { display: none; }

.top { background: var(--card); border-bottom: 1px solid var(--line); }
.wrap { max-width: 66rem; margin: 0 auto; padding: 0 1rem; }
.top .wrap { display: flex; align-items: center; gap: .625rem; min-height: 3.75rem; padding-block: .5rem; }
.shield { flex: none; color: var(--accent); }
.shield .tick { fill: none; stroke: var(--card); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.brand { font-weight: 650; font-size: 1.0625rem; line-height: 1.25; }
.layout { display: grid; gap: 1.5rem; padding-block: 1.75rem 3rem; }
main { min-width: 0; }
.lead { margin-top: .5rem; }
.card, .problems, .help { border-radius: 14px; }
.card { background: var(--card); border: 1px solid var(--line); box-shadow: var(--shadow); padding: 1.25rem; }
form.card { margin-top: 1.5rem; }

.progress { display: flex; list-style: none; margin: 1.5rem 0 0; }
.progress li {
  position: relative; flex: 1; display: flex; flex-direction: column; align-items: center; gap: .375rem;
  color: var(--muted); font-size: .875rem; text-align: center;
}
.progress li + li::before {
  content: ""; position: absolute; top: .9375rem; right: calc(50% + 1.25rem); left: calc(-50% + 1.25rem);
  height: 2px; background: var(--line);
}
.dot {
  display: grid; place-items: center; width: 2rem; height: 2rem; border-radius: 50%;
  border: 2px solid var(--edge); background: var(--card); font-weight: 650; font-size: .875rem;
}
.progress [aria-current] { color: var(--text); font-weight: 650; }
.progress [aria-current] .dot { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.progress [data-done] .dot { background: var(--tint); border-color: var(--accent); color: var(--accent); }
.progress li[data-done] + li::before { background: var(--accent); }

.problems { margin-top: 1.5rem; padding: 1rem 1.25rem; border: 2px solid var(--bad); background: var(--bad-tint); }
.problems h2 { font-size: 1.125rem; }
.problems ul { margin-top: .25rem; padding-left: 1.125rem; }
.problems a { display: block; padding: .375rem 0; color: var(--bad); font-weight: 600; }
.step + .step { margin-top: 2.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }
.js .step + .step { margin-top: 0; padding-top: 0; border-top: 0; }
.step > * + *, .people > * + * { margin-top: 1.25rem; }
.step > h2 + .hint { margin-top: .375rem; }
fieldset { min-width: 0; margin: 0; padding: 0; border: 0; }
legend { padding: 0; font-weight: 650; }
.plain > legend, .people > legend { font-size: 1.0625rem; }
.plain > .pair { margin-top: .75rem; }
.step > .people { margin-top: 2rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
.people > legend { float: left; width: 100%; }
.people > legend + * { clear: both; margin-top: 0; }
.people:focus { outline: none; }
.person { padding: 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--page); }
.person > legend { float: left; width: 100%; margin-bottom: .75rem; }
.person > .pair { clear: both; }
.person > .button { margin-top: .75rem; }
.pair { display: grid; gap: 1.25rem; }
label { display: block; margin-bottom: .375rem; font-weight: 600; }
.field .hint { margin: -.25rem 0 .375rem; font-size: .9375rem; }
.error { margin-bottom: .375rem; color: var(--bad); font-weight: 600; font-size: .9375rem; }
.people > .error { margin-top: .5rem; }
input, textarea {
  display: block; width: 100%; min-height: 2.875rem; padding: .5625rem .75rem;
  border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--text); font: inherit;
  transition: border-color .15s, box-shadow .15s;
}
textarea { resize: vertical; min-height: 8rem; }
input:focus, textarea:focus {
  outline: 2px solid transparent; border-color: var(--accent); box-shadow: 0 0 0 3px var(--card), 0 0 0 5px var(--accent);
}
[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.date input { max-width: 16rem; appearance: none; -webkit-appearance: none; }
::placeholder { color: var(--muted); opacity: 1; }

.button {
  display: inline-flex; align-items: center; justify-content: center; min-height: 2.875rem; padding: .5rem 1.25rem;
  border: 1px solid var(--edge); border-radius: 8px; background: var(--card); color: var(--accent);
  font: inherit; font-weight: 600; text-decoration: none; cursor: pointer; transition: background-color .15s;
}
.button:hover { background: var(--tint); color: var(--accent-strong); }
.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.primary:hover { background: var(--accent-strong); color: var(--on-accent); }
.quiet { margin-inline: -.75rem; padding-inline: .75rem; border-color: transparent; background: none; text-decoration: underline; text-underline-offset: .15em; }
.button:disabled { opacity: .65; cursor: progress; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; justify-content: flex-end; }
.step > .buttons { margin-top: 1.75rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
html:not(.js) .step:not(:last-child) > .buttons { display: none; }
[data-back] { margin-right: auto; }

.summary + .summary { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.summary-head { display: flex; align-items: center; justify-content: space-between; gap: 1rem; }
.summary dl > div { padding: .3125rem 0; }
.summary dt, .help dt { color: var(--muted); font-size: .9375rem; }
.summary dd { white-space: pre-line; }
.missing { color: var(--bad); font-weight: 600; }
.failure { padding: .875rem 1rem; border-left: 4px solid var(--bad); border-radius: 6px; background: var(--bad-tint); font-weight: 600; }

.help { align-self: start; padding: 1.25rem; border: 1px solid var(--line); background: var(--card); }
.help h2 { font-size: 1.0625rem; }
.help p { margin-top: .25rem; color: var(--muted); font-size: .9375rem; }
.help dt { margin-top: .625rem; line-height: 1; }
.help dd a { display: inline-block; padding: .5rem 0 .75rem; font-weight: 600; font-size: .9375rem; }

.success, .unavailable { padding: 2rem 1.25rem; }
.success > * + *, .unavailable > * + * { margin-top: 1rem; }
.sent, .sign { display: block; fill: none; stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
.sent { stroke: var(--good); }
.sign { stroke: var(--muted); }
.reference { padding: 1rem 1.25rem; border-radius: 10px; background: var(--tint); }
.reference-label { display: block; color: var(--muted); font-size: .9375rem; }
.reference strong { font-size: 1.375rem; letter-spacing: .01em; user-select: all; }
.onward { margin-top: 1.5rem; }
.countdown { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; margin-top: 1rem; }
.seconds { font-weight: 650; font-variant-numeric: tabular-nums; }
.onward [role="status"]:not(:empty) { margin-top: 1rem; }
.code { font-size: .875rem; }

@media (min-width: 36rem) {
  .card, .success, .unavailable { padding: 2rem; }
  .pair { grid-template-columns: 1fr 1fr; align-items: end; }
  .summary dl > div { display: grid; grid-template-columns: 11rem 1fr; gap: 1rem; }
}
@media (min-width: 60rem) {
  .layout { grid-template-columns: minmax(0, 1fr) 17rem; gap: 2rem; padding-top: 2.5rem; }
  h1 { font-size: 2rem; }
}
@media (prefers-reduced-motion: reduce) {
  * { transition: none !important; scroll-behavior: auto !important; }
}
@media print {
  .help, .progress, .buttons, .onward { display: none; }
}
`;

/** Without the space that only people need. */
export const STYLE = CSS.replace(/\s+/g, ' ')
  .replace(/ ?([{};,]) ?/g, '$1')
  .replaceAll(': ', ':')
  .trim();
