// Creates and revokes links for the test.
import { claimlink, createLink } from '../../lib/claimlink.js';

export async function POST({ request }) {
  return Response.json(await createLink(await request.json()));
}

export async function DELETE({ request }) {
  const { clientId, linkId } = await request.json();
  return Response.json(await claimlink.revokeLink(clientId, linkId));
}
