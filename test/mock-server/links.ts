// Makes a link on a mock, and submits a claim over it, as a caller and a user do.
import { type Answer, list, send } from './client.js';

/** A standalone link of a user of the demo client. */
export async function mintLink(url: string, userId = 'user-1', apiKey = 'clk_test_demo'): Promise<string> {
  const { status, body } = await send(`${url}/demo/link`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      callbackUrl: `${url}/__mock/callback?reference={SESSION_REFERENCE}`,
      config: { contact: { email: 'claims@example.com', phone: '1' }, currentUserId: userId },
    }),
  });
  if (status !== 200) throw new Error(body);
  return JSON.parse(body).data;
}

/** Submits the policy of the user's newest session; resolves to the reference. */
export async function submitClaim(url: string, link: string, userId = 'user-1'): Promise<string> {
  const [{ selectedPolicy }] = JSON.parse((await list(url, userId)).body);
  const { id: _, ...holder } = selectedPolicy.holder;
  const answer = await send(link, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ policy: { ...selectedPolicy, holder } }),
  });
  if (answer.status !== 200) throw new Error(answer.body);
  return JSON.parse(answer.body).data.reference;
}

/** Opens a link at another address than its own. */
export function openAt(url: string, link: string): Promise<Answer> {
  const { pathname, search } = new URL(link);
  return send(`${url}${pathname}${search}`);
}
