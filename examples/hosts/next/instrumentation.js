// Next.js calls register() once, when the server starts.
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const { key } = await import('./lib/claimlink.js');
  const { PORT = '3000' } = process.env;
  console.log(`curl -H 'x-api-key: ${key}' http://127.0.0.1:${PORT}/claims/acme/sessions/user-1`);
}
