// Runs a plan of pages: tabs with one link of the real core, in virtual time, with faults. Records what the pages tell.
import { ClaimlinkError } from '../../lib/core/errors.js';
import type { CoreRequest } from '../../lib/http/messages.js';
import { type FormCopy, openCopy, type Texts } from '../../lib/widget/browser/device-copy.js';
import { createCookieJar } from './cookie-jar.js';
import type { LogEntry } from './kind.js';
import type { PageEvent, PageHistory } from './page-history.js';
import type { Browser, Edit, Fate, PageAction, PagePlan, Tab } from './page-plan.js';
import { readPage, readScriptResponse, textOf, toDescription, toMinute } from './page-reading.js';
import { PUBLIC_URL, type RequestContext, type ServedResponse, startPageService } from './page-service.js';
import { createRandom } from './random.js';
import { createVirtualTime } from './virtual-time.js';

/** How long the script of the page waits for a response, and how long a browser does. */
const SCRIPT_WAIT_MS = 30_000;
const BROWSER_WAIT_MS = 300_000;
/** The text of each form at the start. */
const FIRST_TEXT = 'first text';
const INCOMPLETE = ' (incomplete)';
const DRAFT_KEY = 'claimlink-draft:acme:link';

/** What the rate limiter of a host responds: docs/mounting.md. */
const TOO_MANY = {
  status: 429,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '60' },
  body: JSON.stringify({
    type: 'about:blank',
    title: 'Too Many Requests',
    status: 429,
    code: 'rate_limited',
  }),
};

/** A browser tab with the link. */
interface TabState {
  readonly name: Tab;
  readonly browser: Browser;
  /** The text of the form. */
  text: string;
  /** The text on the device, as the script of this form sees it. */
  copy?: FormCopy | undefined;
  /** Its `sessionStorage`. */
  store: Texts;
  hasForm: boolean;
  /** The text that a reload sends again. */
  posted?: string | undefined;
  /** The request that it waits for. */
  request?: PageRequest | undefined;
}

interface PageRequest {
  readonly id: number;
  /** The text that it sends. Absent if it opens the page. */
  readonly text?: string | undefined;
  /** Whether the script of the page sends it, and not the browser. */
  readonly isScript: boolean;
  readonly fate: Fate;
  /** Number of events before it. */
  readonly since: number;
  readonly action: PageAction;
}

/** Runs a plan to its end. */
export async function runPagePlan(plan: PagePlan): Promise<PageHistory> {
  const time = createVirtualTime();
  const events: PageEvent[] = [];
  const log: LogEntry[] = [];
  const jars = { A: createCookieJar(), B: createCookieJar() };
  const process = { isDead: false };
  let requests = 0;
  /** The tab whose claim is stored, while it removes the text. */
  let remover: { tab: TabState; action: PageAction } | undefined;
  let edits = 0;

  const tabs = new Map<string, TabState>();
  for (const name of ['A1', 'A2', 'B1'] as const)
    tabs.set(name, { name, browser: name === 'B1' ? 'B' : 'A', text: FIRST_TEXT, store: {}, hasForm: true });

  /** The `localStorage` of each browser. A text that a person removes is empty for a moment: other tabs get that event. */
  const devices = { A: createDevice('A'), B: createDevice('B') };

  function createDevice(browser: Browser): Texts {
    return new Proxy<Texts>(
      {},
      {
        set(texts, key, value) {
          if (value === '') for (const tab of tabs.values()) if (tab.browser === browser) hearRemoval(tab);
          return Reflect.set(texts, key, value);
        },
      },
    );
  }

  /** The script of another tab begins anew, unless its text is not stored or is being sent. */
  function hearRemoval(tab: TabState): void {
    const { copy, hasForm, request } = tab;
    if (!remover || tab === remover.tab || !copy || !hasForm || copy.isOpen() || request?.isScript) return;
    record(() => `${tab.name} begins anew`);
    startTab(tab);
    begin(tab, remover.action, 'arrives');
  }

  /** Forgets what a tab holds. */
  function startTab(tab: TabState): void {
    Object.assign(tab, { text: FIRST_TEXT, store: {}, copy: undefined });
  }

  /** Starts the script of a form that has loaded. */
  function openForm(tab: TabState): void {
    if (!keepsOnDevice(tab)) return;
    tab.copy = openCopy(devices[tab.browser], tab.store, DRAFT_KEY, toFields(FIRST_TEXT), 0);
    readCopy(tab);
  }

  function keepsOnDevice({ browser }: TabState): boolean {
    return plan.keepDraft === 'device' && plan.hasScript[browser];
  }

  /** Types into a tab. With a newer text of another tab, a person chooses one of them by and by. */
  function type(tab: TabState, kind: Edit): void {
    const { copy } = tab;
    if (copy?.isOpen() && (kind === 'undo' || kind === 'space')) {
      copy.decide();
      if (kind === 'undo') {
        readCopy(tab);
        return;
      }
    }
    tab.text = edit(tab, kind);
    copy?.save(toFields(tab.text));
    record(() => `${tab.name} types ${JSON.stringify(tab.text)}`);
  }

  function readCopy(tab: TabState): void {
    tab.text = tab.copy?.read()?.get('text') ?? tab.text;
    record(() => `${tab.name} has the text ${JSON.stringify(tab.text)}`);
  }

  /** Shows a hidden tab again. */
  function showAgain(tab: TabState): void {
    if (tab.hasForm && !tab.request?.isScript && !tab.copy?.isOpen() && tab.copy?.isOld()) readCopy(tab);
  }

  const record = (text: () => string) => void log.push({ atMs: time.now, text });

  const service = await startPageService({
    callbackOnSubmit: plan.callbackOnSubmit,
    keepDraft: plan.keepDraft,
    time,
    record,
    onStored(session) {
      const { reference, date } = session;
      const attempt = Number(reference.slice(2));
      events.push({ kind: 'stored', attempt, text: textOf(session), reference, date: toMinute(date) });
      record(() => `#${attempt} is stored`);
    },
  });
  const { pathname } = new URL(service.link.url);

  function createContext({ id, hasFaults }: PageAction, requestId: number): RequestContext {
    return { process, hasFaults, label: `#${requestId}`, requestId, random: createRandom(plan.seed, id) };
  }

  /** Does what the tab allows: it may show no form. */
  function act(action: PageAction): void {
    const { actor, step } = action;
    if (step.kind === 'revoke') {
      time.schedule(0, revokeLink, createContext(action, 0));
      return;
    }
    const tab = tabs.get(actor) as TabState;
    const hasScript = plan.hasScript[tab.browser];
    showAgain(tab);
    switch (step.kind) {
      case 'type':
        if (tab.hasForm) type(tab, step.edit);
        return;
      case 'send':
        // The script disables its button. Without it, a second click replaces the first request.
        if (tab.hasForm && !(hasScript && tab.request?.text !== undefined))
          begin(tab, action, step.fate, tab.text);
        return;
      case 'reload':
        begin(tab, action, step.fate, tab.posted);
        return;
      case 'open':
        if (keepsOnDevice(tab)) startTab(tab);
        begin(tab, action, step.fate);
        return;
      case 'back':
        if (hasScript) {
          // The script loads the page again.
          if (!tab.hasForm) begin(tab, action, 'arrives');
          return;
        }
        record(() => `${tab.name} goes back`);
        Object.assign(tab, { hasForm: true, posted: undefined, request: undefined });
    }
  }

  async function revokeLink(): Promise<void> {
    const isRevoked = await service.revokeLink().catch(() => 'unknown');
    record(() => `the host revokes the link: ${isRevoked}`);
  }

  function edit({ name, text }: TabState, kind: Edit): string {
    switch (kind) {
      case 'correct':
        return `${name} ${++edits}`;
      case 'incomplete':
        return `${name} ${++edits}${INCOMPLETE}`;
      case 'space':
        return `${text} `;
      case 'undo':
        return FIRST_TEXT;
    }
  }

  /** Sends a text, or opens the page without one. The tab no longer waits for its last request. */
  function begin(tab: TabState, action: PageAction, fate: Fate, text?: string): void {
    const id = ++requests;
    const isScript = plan.hasScript[tab.browser] && text !== undefined;
    const request: PageRequest = { id, text, isScript, fate, since: events.length, action };
    tab.request = request;
    if (text !== undefined) events.push({ kind: 'sent', attempt: id, browser: tab.browser, text });
    record(
      () => `#${id} ${tab.name} ${text === undefined ? 'opens the page' : `sends ${JSON.stringify(text)}`}`,
    );
    const arrive = (served?: ServedResponse) => {
      if (tab.request === request) show(tab, request, served);
    };
    time.schedule(isScript ? SCRIPT_WAIT_MS : BROWSER_WAIT_MS, () => arrive());
    transmit(request, jars[tab.browser].header(pathname, service.clock()), arrive);
  }

  /** Brings a request to the service and its response back, or loses them. */
  function transmit(
    request: PageRequest,
    cookie: string | undefined,
    arrive: (served?: ServedResponse) => void,
  ): void {
    const { id, fate, action } = request;
    const context = createContext(action, id);
    const { random } = context;
    const delayMs = (isLate: boolean) => (isLate ? random.between(31_000, 60_000) : random.below(50));
    const serve = async () => {
      const served = await service.handle(toCoreRequest(request, cookie));
      record(() => `#${id} the service responds with ${served.response.status}`);
      const isLost = fate === 'response lost';
      time.schedule(delayMs(fate === 'response late'), () => arrive(isLost ? undefined : served));
    };
    if (fate === 'request lost') time.schedule(delayMs(false), () => arrive());
    else if (fate === 'too many')
      time.schedule(delayMs(false), () => arrive({ response: TOO_MANY, clock: service.clock() }));
    else time.schedule(delayMs(fate === 'request late'), serve, context);
  }

  function toCoreRequest({ text, isScript, fate }: PageRequest, cookie: string | undefined): CoreRequest {
    const url = service.link.url.slice(PUBLIC_URL.length);
    const headers = {
      accept: isScript ? 'application/json' : 'text/html,application/xhtml+xml,*/*;q=0.8',
      ...(cookie !== undefined && { cookie }),
    };
    if (text === undefined) return { method: 'GET', url, headers };
    return {
      method: 'POST',
      url,
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: () =>
        fate === 'too large'
          ? Promise.reject(new ClaimlinkError('body_too_large'))
          : formBody(text, isScript ? '\n' : '\r\n'),
    };
  }

  /** Shows what came in response to a request, or that nothing came. */
  function show(tab: TabState, request: PageRequest, served?: ServedResponse): void {
    const { id, text, isScript, fate, since, action } = request;
    const { response, page } = served ?? {};
    const cookie = response?.headers['set-cookie'];
    if (cookie !== undefined) jars[tab.browser].store(cookie, service.clock());
    const told =
      isScript && text !== undefined
        ? readScriptResponse(response, text, service.clock())
        : readPage(response, page, text);
    events.push({
      kind: 'told',
      tab: tab.name,
      browser: tab.browser,
      told,
      ...(text !== undefined && { attempt: id }),
      since,
      clock: served?.clock ?? service.clock(),
      hasFaults: action.hasFaults || fate !== 'arrives',
    });
    record(() => `#${id} ${tab.name} shows ${JSON.stringify(told)}`);
    tab.request = undefined;
    if (isScript) {
      tab.hasForm = told.kind === 'unknown' || told.kind === 'not sent';
      if (told.kind === 'stored') {
        remover = { tab, action };
        tab.copy?.clear(true);
        remover = undefined;
      }
      // The service has a page for a link that has ended.
      if (told.kind === 'no claim' || told.kind === 'submitted') begin(tab, action, 'arrives');
    } else {
      tab.hasForm = page?.method === 'renderForm';
      if (tab.hasForm) openForm(tab);
      // After a redirect, the tab has the page of the host.
      tab.posted = response?.status === 303 ? undefined : text;
    }
  }

  for (const tab of tabs.values()) openForm(tab);
  for (const action of plan.actions) time.schedule(action.atMs, () => act(action), undefined);
  await time.run();
  return { events, requests, log };
}

/** Returns the field that customers type into. */
const toFields = (text: string) => new URLSearchParams({ text });

/** Returns the fields of the form as a browser sends them. */
function formBody(text: string, lineEnd: string): string {
  return new URLSearchParams({
    '/policy/number': 'P-100',
    '/policy/provider': text.includes(INCOMPLETE) ? '' : 'Acme',
    '/policy/validFrom': '2026-01-01',
    '/policy/validTo': '2026-12-31',
    '/policy/holder/firstName': 'Ada',
    '/policy/holder/lastName': 'Lovelace',
    '/policy/holder/phone': '+44 123',
    '/policy/holder/email': 'ada@example.com',
    '/policy/vehicle/licensePlate': 'B-CL 2026',
    '/incident/description': toDescription(text).replaceAll('\n', lineEnd),
  }).toString();
}
