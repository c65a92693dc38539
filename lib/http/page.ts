// Renders a page of the widget as a response: its form, its language, its policy.
import { randomUUID } from 'node:crypto';
import Negotiator from 'negotiator';
import type { Awaitable, Client } from '../core/types.js';
import type { DeviceDraft, PageView, StandaloneWidget, WidgetPage } from '../core/widget.js';
import { type CoreRequest, type CoreResponse, headerOf } from './messages.js';
import { type PolicyContext, pagePolicy, securityHeaders } from './page-headers.js';
import { splitTarget } from './routes.js';

/** The callback of a link, and its client. A page without a link has neither. */
interface PageContext extends PolicyContext {
  client?: Client;
  /** The page shows the same when it is opened again, so it may change its language. No page of an error gets the token. */
  hasLanguages?: boolean;
}

/** Renders a page of the widget for a request as a response. */
export async function renderPage(
  widget: StandaloneWidget,
  status: number,
  request: CoreRequest,
  context: PageContext,
  render: (view: PageView) => Awaitable<WidgetPage>,
): Promise<CoreResponse> {
  const { html, contentSecurityPolicy, locale } = await createPage(widget, request, context, render);
  return pageResponse(status, html, oneLine(contentSecurityPolicy), widget.locales && locale);
}

/** Renders a page of the widget for a request: its language, its policy and the brand of the client. */
export async function createPage(
  widget: StandaloneWidget,
  request: CoreRequest,
  context: PageContext,
  render: (view: PageView) => Awaitable<WidgetPage>,
): Promise<Required<Pick<WidgetPage, 'contentSecurityPolicy'>> & WidgetPage & { locale: string }> {
  const { client, hasLanguages } = context;
  const nonce = randomUUID().replaceAll('-', '');
  const query = new URLSearchParams(splitTarget(request.url).query);
  const lang = query.get('lang') ?? undefined;
  const token = query.get('token');
  const choice = { locales: widget.locales ?? [], lang, preferred: client?.locale };
  const locale = negotiateLanguage(request, choice);
  const policy = pagePolicy(nonce, context);
  const { branding, frameAncestors, settings } = client ?? {};
  const form = settings?.form;
  const view = {
    nonce,
    locale,
    policy,
    ...(hasLanguages && token && { token }),
    ...(branding && { branding }),
    ...(frameAncestors && { frameAncestors }),
    ...(frameAncestors?.length && isCompact(request, query) && { compact: true as const }),
    ...(form && { form }),
    ...(client && settings?.keepDraft === 'device' && { deviceDraft: deviceDraftOf(client) }),
  };
  return { contentSecurityPolicy: policy, locale, ...(await render(view)) };
}

/** Returns whether a page in a frame is asked for without its header. In a tab of its own, it would say nowhere whose page it is. */
function isCompact(request: CoreRequest, query: URLSearchParams): boolean {
  return query.get('view') === 'compact' && headerOf(request, 'sec-fetch-dest') !== 'document';
}

function deviceDraftOf({ clientId, settings }: Client): DeviceDraft {
  return { clientId, isShown: settings?.recipientCheck === undefined };
}

/** Returns whether the Accept header prefers JSON to an HTML page. Without a preference it returns false. */
export function prefersJson(request: CoreRequest): boolean {
  const negotiator = new Negotiator({
    headers: { accept: headerOf(request, 'accept')?.slice(0, NEGOTIATED_LENGTH) },
  });
  const preferred = negotiator.mediaType(['text/html', 'application/json', 'application/problem+json']);
  return preferred !== undefined && preferred !== 'text/html';
}

/** A header of negotiation is read up to here: the time of Negotiator grows with the number of its values. */
const NEGOTIATED_LENGTH = 1024;

/** The languages of a page, and the preferences that select one of them, besides Accept-Language. */
export interface LanguageChoice {
  /** BCP 47 tags of the page's languages, the default first. */
  locales: readonly string[];
  /** The `lang` parameter of the URL. */
  lang: string | undefined;
  /** The language of the client. */
  preferred: string | undefined;
}

/**
 * Returns the language of a page: the best one for the `lang` parameter, else for Accept-Language (RFC 9110, 12.5.4),
 * else for the language of the client, else the first one.
 */
export function negotiateLanguage(
  request: CoreRequest,
  { lang, locales, preferred }: LanguageChoice,
): string {
  for (const value of [lang, headerOf(request, 'accept-language'), preferred]) {
    const header = value?.slice(0, NEGOTIATED_LENGTH);
    const match = header && new Negotiator({ headers: { 'accept-language': header } }).language([...locales]);
    if (match) return match;
  }
  return locales[0] ?? 'en';
}

/** Creates a page response. */
function pageResponse(
  status: number,
  html: string,
  contentSecurityPolicy: string,
  language: string | undefined,
): CoreResponse {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(language !== undefined && { 'content-language': language }),
      'content-length': String(Buffer.byteLength(html)),
      ...securityHeaders(contentSecurityPolicy),
    },
    body: html,
  };
}

/** Joins the lines of a policy. @throws TypeError for a character that an HTTP header cannot contain. */
function oneLine(policy: string): string {
  const line = policy.replaceAll(/\s+/g, ' ').trim();
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  throw new TypeError('The contentSecurityPolicy of the widget has a character that no header can contain.');
}
