// Safari's engine: WebKitGTK, by the WebDriver protocol. It shows more of Safari than another browser does, and is not Safari.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../listen.js';
import { isInstalled, poll, startDesktop } from './programs.js';

const DRIVER = '/usr/bin/WebKitWebDriver';

/** The member of a JSON value that is an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Keys that have no character. */
export const KEYS = { right: '\uE014', enter: '\uE007', tab: '\uE004' } as const;

/** An element of the page. */
export type Element = Readonly<Record<string, string>>;

export interface WebKit {
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Closes the window, and opens a page in a new one. */
  openAnew(url: string): Promise<void>;
  /** Runs the body of a function in the page, or in the frame that is selected. */
  run<T>(body: string, ...args: unknown[]): Promise<T>;
  /** Waits for the control with a label: the label begins with the text. */
  field(label: string): Promise<Element>;
  /** Waits for a button, a link or a heading that is shown. Its text begins with this one. */
  shown(tags: string, text: string): Promise<Element>;
  /** Waits until the page shows a text. */
  waitForText(text: string): Promise<void>;
  click(element: Element, x?: number): Promise<void>;
  /** Replaces the text of a field. */
  fill(label: string, text: string): Promise<void>;
  /** Presses keys where the focus is. */
  press(...keys: string[]): Promise<void>;
  value(label: string): Promise<string>;
  /** The text that the page shows. */
  text(): Promise<string>;
  /** Selects the frame of the page. */
  enterFrame(): Promise<void>;
  leaveFrame(): Promise<void>;
}

const FIND = `
  const isShown = (element) => element.getClientRects().length > 0;
  const startsWith = (element, text) => element.textContent.trim().replace(/\\s+/g, ' ').startsWith(text);
`;

/** Starts the browser; `undefined`, and the test skipped, where there is none. */
export async function startWebKit(t: Test): Promise<WebKit | undefined> {
  const browser = findBrowser();
  const packages = {
    [DRIVER]: 'webkit2gtk-driver',
    [browser]: 'webkit2gtk-driver',
    '/usr/share/fonts/truetype/noto/NotoSansArabic-Regular.ttf': 'fonts-noto-core',
  };
  if (!isInstalled(t, 'WebKit', packages)) return undefined;
  const desktop = await startDesktop(t);
  const port = await freePort();
  await desktop.start(DRIVER, ['--host=127.0.0.1', `--port=${port}`], {
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
  });
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  };
  await poll('WebKitWebDriver accepts requests', () =>
    call<{ ready: boolean }>('GET', '/status').then(
      ({ ready }) => ready,
      () => false,
    ),
  );
  const { sessionId } = await call<{ sessionId: string }>('POST', '/session', {
    capabilities: {
      alwaysMatch: {
        browserName: 'MiniBrowser',
        acceptInsecureCerts: true,
        'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
      },
    },
  });
  const session = `/session/${sessionId}`;
  t.teardown(() => call('DELETE', session));
  const post = <T>(path: string, body: unknown = {}) => call<T>('POST', session + path, body);
  const run: WebKit['run'] = (script, ...args) => post('/execute/sync', { script, args });
  const idOf = (element: Element) => `/element/${element[ELEMENT]}`;

  const webkit: WebKit = {
    open: (url) => post('/url', { url }),
    reload: () => post('/refresh'),
    openAnew: async (url) => {
      const { handle } = await post<{ handle: string }>('/window/new', { type: 'window' });
      await call('DELETE', `${session}/window`);
      await post('/window', { handle });
      await webkit.open(url);
    },
    run,
    field: (label) =>
      poll<Element | null>(`a field with the label ${label}`, () =>
        run(
          `${FIND} return [...document.querySelectorAll('label')].find((label) =>
          startsWith(label, arguments[0]) && label.control && isShown(label.control))?.control ?? null`,
          label,
        ),
      ),
    shown: (tags, text) =>
      poll<Element | null>(`${tags} with the text ${text}`, () =>
        run(
          `${FIND} return [...document.querySelectorAll(arguments[0])].find((element) =>
          isShown(element) && startsWith(element, arguments[1])) ?? null`,
          tags,
          text,
        ),
      ),
    waitForText: async (text) => {
      await poll(`the text ${text}`, async () => (await webkit.text()).includes(text));
    },
    click: async (element, x) => {
      await run('arguments[0].scrollIntoView({ block: "center", behavior: "instant" })', element);
      if (x === undefined) return post(`${idOf(element)}/click`);
      const left = await run<number>('return arguments[0].getBoundingClientRect().width / 2', element);
      const pointer = [
        { type: 'pointerMove', origin: element, x: Math.round(x - left), y: 0 },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      return post('/actions', { actions: [{ type: 'pointer', id: 'mouse', actions: pointer }] });
    },
    fill: async (label, text) => {
      const element = await webkit.field(label);
      await webkit.click(element);
      await run('arguments[0].select()', element);
      await webkit.press(...text);
    },
    press: (...keys) => {
      const actions = keys.flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      return post('/actions', { actions: [{ type: 'key', id: 'keys', actions }] });
    },
    value: async (label) => run('return arguments[0].value', await webkit.field(label)),
    text: () => run('return document.body.innerText'),
    enterFrame: async () => {
      const frame = await poll<Element | null>('a frame', () =>
        run('return document.querySelector("iframe")'),
      );
      await post('/frame', { id: frame });
    },
    leaveFrame: () => post('/frame', { id: null }),
  };
  return webkit;
}

/** The folder has the architecture and the version in its path. */
function findBrowser(): string {
  const folders = readdirSync('/usr/lib', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders.filter(({ name }) => name.endsWith('-linux-gnu')))
    for (const library of readdirSync(join('/usr/lib', name)))
      if (library.startsWith('webkit2gtk-4')) return join('/usr/lib', name, library, 'MiniBrowser');
  return '/usr/lib/MiniBrowser';
}
