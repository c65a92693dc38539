// Firefox as users have it, over WebDriver BiDi. It runs the journeys.
import { type Browser, firefox } from 'playwright-core';
import type { Test } from 'tap';
import { launch, skipsShortRun } from './launch.js';

const FIREFOX = {
  name: 'Firefox',
  type: firefox,
  variable: 'FIREFOX_PATH',
  paths: ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'],
};

/** A context of this browser ignores `javaScriptEnabled`: JavaScript is on or off in the whole browser. */
export async function launchFirefox(
  t: Test,
  { javaScriptEnabled = true, keepsCookies = true } = {},
): Promise<Browser | undefined> {
  if (skipsShortRun(t, 'Firefox')) return undefined;
  return launch(t, FIREFOX, {
    // Other channels are Firefoxes that Playwright has built, with a protocol of their own.
    channel: 'moz-firefox',
    firefoxUserPrefs: {
      'javascript.enabled': javaScriptEnabled,
      'network.cookie.cookieBehavior': keepsCookies ? 5 : 2,
      // A reload that posts again asks the user, in a dialog that would stay open.
      'dom.confirm_repost.testing.always_accept': true,
    },
  });
}
