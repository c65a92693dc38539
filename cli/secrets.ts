// Secrets in the wrong place of a command line: API keys, secrets of webhooks, and URLs of databases and links.
import type { Command } from 'commander';
import { UsageError } from './flags.js';

/** A key of `issueApiKey`, or most of one. */
const API_KEY = /\bclk_[\w-]{16,}/g;

/** The secret of a webhook, or most of one. */
const WEBHOOK_SECRET = /\bwhsec_[\w+/=-]+/g;

/** A URL with a password or the token of a link, a URL that is not of the web, or `user:password@host`. */
const SECRET_URL = /:.*@|^(?!https?:)[a-z][\w+.-]*:\/\/|\/verify\/|[?&]token=/is;

/** User and password of a URL. The password may have spaces. */
const CREDENTIALS = /\b([a-z][\w+.-]*:\/\/)[^\s/].*@/gi;

/** Returns a function that hides API keys and secrets of webhooks in a text, and the words of the command line that are secret URLs. */
export function createMask(words: readonly string[]): (text: string) => string {
  const urls = words
    .flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    .filter((word) => SECRET_URL.test(word));
  return (text) =>
    urls
      .reduce((masked, url) => masked.replaceAll(url, () => `${schemeOf(url)}…`), text)
      .replace(WEBHOOK_SECRET, 'whsec_…')
      .replace(API_KEY, (key) => `clk_…${key.slice(-4)}`);
}

/** Hides the user and the password of URLs in the message of an error. */
export function withoutCredentials(message: string): string {
  return message.replace(CREDENTIALS, '$1…@');
}

function schemeOf(url: string): string {
  return /^[\w+.-]+:\/\//.exec(url)?.[0] ?? '';
}

/** Rejects an argument that is a secret: it would be stored or printed. @throws UsageError */
export function assertNoSecret(argument: string, command: Command): void {
  const name = [command.parent?.parent ? command.parent.name() : '', command.name()].join(' ').trim();
  if (new RegExp(`^${API_KEY.source}$`).test(argument))
    throw new UsageError(`The command ${name} takes no API key. claimlink keys list shows the ids of keys.`);
  if (/^postgres(?:ql)?:\/\//i.test(argument))
    throw new UsageError(`The command ${name} takes the URL of a database by --database only.`);
}
