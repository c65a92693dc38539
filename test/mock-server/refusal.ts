// Runs commands on a database that refuses them.
import { setUp } from './command.js';

/** Of the role bob; never to be told. */
export const PASSWORD = 's3cret-pässword';

/** Runs a command that the database refuses; gives its sentence. */
export async function refusal(args: string, url: string): Promise<string> {
  const { run, stdout, stderr } = setUp();
  const code = await run(args, { DATABASE_URL: url, CLAIMLINK_DATABASE_URL: url });
  if (code !== 2 || stdout.text !== '') throw new Error(`exit code ${code}: ${stdout.text}${stderr.text}`);
  for (const secret of [url, PASSWORD, encodeURIComponent(PASSWORD)]) {
    if (stderr.text.includes(secret)) throw new Error(`a secret is told: ${stderr.text}`);
  }
  return stderr.text.replaceAll('CLAIMLINK_DATABASE_URL', '<name>');
}
