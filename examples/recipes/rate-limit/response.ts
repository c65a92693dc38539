// The response to a caller over a limit: a page for browsers, a problem for programs.
import { randomBytes } from 'node:crypto';
import type { Claimlink } from 'claimlink';

interface Limited {
  headers: Record<string, string>;
  body: string;
}

export function tooManyRequests(claimlink: Claimlink, accept = ''): Limited {
  if (!accept.includes('text/html')) {
    const problem = { type: 'about:blank', title: 'Too Many Requests', status: 429, code: 'rate_limited' };
    return { headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(problem) };
  }
  const nonce = randomBytes(16).toString('base64');
  return {
    headers: { ...claimlink.pageHeaders({ nonce }), 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html>
<html lang="en">
<head>
<meta name="viewport" content="width=device-width">
<title>Too many requests</title>
<style nonce="${nonce}">body { font-family: sans-serif; margin: 2rem }</style>
</head>
<body>
<h1>Too many requests</h1>
<p>Wait a minute, then load this page again. Your link still works.</p>
</body>
</html>`,
  };
}
