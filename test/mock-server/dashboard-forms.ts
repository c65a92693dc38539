// Drives the dashboard's forms as a browser without a script does, and reads what is on the page.
import { type Answer, send, sendForm } from './client.js';

/** What a browser sends of the form of an action. */
export function act(url: string, action: string, fields: Record<string, string> = {}): Promise<Answer> {
  return sendForm(`${url}/__mock/dashboard/${action}`, { client: 'demo', user: 'user-1', ...fields });
}

/** The page that a form leads to. */
export async function follow(
  url: string,
  action: string,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const { status, headers, body } = await act(url, action, fields);
  if (status !== 303)
    throw new Error(`${action}: ${status} ${/role="alert"[\s\S]*?<\/div>/.exec(body)?.[0]}`);
  return send(new URL(headers.location ?? '', `${url}/__mock/dashboard/${action}`).href);
}

/** The required fields of the form that makes a link. */
export const LINK_FIELDS = {
  '/callbackUrl': 'https://app.example.com/done',
  '/config/currentUserId': 'user-1',
  '/config/contact/email': 'help@example.com',
  '/config/contact/phone': '+49 30 1',
};

/** The part of the page that is brought up to date under this name. */
export function part(body: string, name: string): string {
  const start = body.indexOf(`data-live="${name}"`);
  return start < 0 ? '' : body.slice(start, body.indexOf('</section>', start));
}

/** Text as it was before it was escaped. */
export function plain(text: string): string {
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** What is in a text field. */
export function typedIn(body: string, name: string): string | undefined {
  const input = body.split('<input ').find((each) => each.includes(`name="${name}"`));
  const value = input === undefined ? undefined : /value="([^"]*)"/.exec(input)?.[1];
  return value === undefined ? undefined : plain(value);
}
