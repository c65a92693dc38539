// A route of the host.
export const GET = () => Response.json({ hello: 'from the host' });
