// The screen reader Orca, without a sound: a test reads what it would speak.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { REPOSITORY } from '../repository.js';
import { type Desktop, isInstalled, poll, startDesktop } from './programs.js';

const run = promisify(execFile);

/** Orca has said everything about a key if it has said nothing new for this time. */
const SILENCE_MS = 2500;

const ACCESSIBILITY_BUS = '/usr/libexec/at-spi-bus-launcher';

export interface Orca {
  desktop: Desktop;
  /** Presses a key where the focus of the desktop is: its name for X11, such as `Return`. */
  press(key: string): Promise<void>;
  /** Waits until Orca has said a text, or anything without one. Leaves what it has said to the next `heard`. */
  waitFor(text?: string): Promise<void>;
  /** Waits for silence, after a text if there is one. Returns what Orca has said since the last call, line by line. */
  heard(text?: string): Promise<string[]>;
}

/** Starts Orca on a desktop; `undefined`, and the test skipped, if it or a program of `packages` is not installed. */
export async function startOrca(
  t: Test,
  packages: Readonly<Record<string, string>>,
): Promise<Orca | undefined> {
  const all = {
    '/usr/bin/orca': 'orca',
    [ACCESSIBILITY_BUS]: 'at-spi2-core',
    '/usr/lib/python3/dist-packages/pyatspi/__init__.py': 'python3-pyatspi',
    '/usr/bin/xdotool': 'xdotool',
    ...packages,
  };
  if (!isInstalled(t, 'Orca', all)) return undefined;
  const desktop = await startDesktop(t);
  const { folder, env } = desktop;
  Object.assign(env, { ACCESSIBILITY_ENABLED: '1', GTK_MODULES: '', NO_AT_BRIDGE: '0' });
  const userData = join(folder, '.local/share/orca');
  await mkdir(userData, { recursive: true });
  const source = new URL('test/voices/orca-customizations.py', REPOSITORY);
  await copyFile(fileURLToPath(source), join(userData, 'orca-customizations.py'));
  const logFile = join(folder, 'speech.log');
  await desktop.start(ACCESSIBILITY_BUS, ['--launch-immediately', '--a11y=1', '--screen-reader=1']);
  await desktop.start('orca', [], { SPEECH_LOG: logFile });

  let count = 0;
  const readNew = async () => {
    const text = await readFile(logFile, 'utf8').catch(() => '');
    return text
      .split('\n')
      .slice(0, -1)
      .slice(count)
      .map((line) => String(JSON.parse(line)));
  };
  const orca: Orca = {
    desktop,
    press: async (key) => {
      await run('xdotool', ['key', '--clearmodifiers', key], { env });
    },
    waitFor: async (text = '') => {
      await poll(`Orca says ${text}`, async () => (await readNew()).some((line) => line.includes(text)));
    },
    heard: async (text) => {
      if (text !== undefined) await orca.waitFor(text);
      let lines = await readNew();
      for (let quietSince = Date.now(); Date.now() - quietSince < SILENCE_MS; ) {
        await setTimeout(100);
        const now = await readNew();
        if (now.length > lines.length) quietSince = Date.now();
        lines = now;
      }
      count += lines.length;
      return lines;
    },
  };
  // That it is on.
  await orca.heard('');
  return orca;
}

/** Checks that each text is said exactly once, and in this order. */
export function isSaidOnce(t: Test, lines: readonly string[], texts: readonly string[]): void {
  const said = lines.join(' | ');
  t.same(
    texts.map((text) => [text, said.split(text).length - 1]),
    texts.map((text) => [text, 1]),
    said,
  );
  const places = texts.map((text) => said.indexOf(text));
  t.same(
    places,
    places.toSorted((a, b) => a - b),
    'the order',
  );
}
