// Chromium, which runs all browser tests.
import { type Browser, chromium } from 'playwright-core';
import type { Test } from 'tap';
import { launch } from './launch.js';

const CHROMIUM = {
  name: 'Chromium',
  type: chromium,
  variable: 'CHROMIUM_PATH',
  paths: [
    // The same browser without windows: it takes two thirds of the time.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
};

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchChromium(t: Test, moreArguments: readonly string[] = []): Promise<Browser | undefined> {
  return launch(t, CHROMIUM, { args: [...ARGUMENTS, ...moreArguments] });
}
