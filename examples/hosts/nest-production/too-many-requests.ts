// The response to a caller over the limit: the built-in page for browsers, a problem for programs.
import { randomBytes } from 'node:crypto';
import type { Claimlink } from 'claimlink';
import { createStandaloneWidget } from 'claimlink/widget';

const code = 'too_many_requests';
const widget = createStandaloneWidget();

interface Limited {
  headers: Record<string, string>;
  body: string;
}

export function tooManyRequests(claimlink: Claimlink, retryAfterSeconds: number, accept = ''): Limited {
  if (!accept.includes('text/html')) {
    const type = `urn:claimlink:problem:${code}`;
    const problem = { type, title: 'There are too many requests', status: 429, code };
    return { headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(problem) };
  }
  const nonce = randomBytes(16).toString('base64');
  const headers = claimlink.pageHeaders({ nonce });
  const policy = headers['content-security-policy'] ?? '';
  const view = { code, status: 429, retryAfterSeconds, nonce, policy, locale: 'en' } as const;
  return {
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
    body: widget.renderUnavailable(view).html,
  };
}
