// claimlink openapi: prints the OpenAPI document of the API.
import { createClaimlink, createLinkSigner, createMemoryStorage } from '../../lib/index.js';
import { DEFAULT_HOST, DEFAULT_PORT } from '../defaults.js';
import type { CommandContext } from './command-io.js';
import type { OPENAPI_FLAGS } from './mock-flags.js';

export async function runOpenApi({ flags, io }: CommandContext<typeof OPENAPI_FLAGS>): Promise<void> {
  const publicUrl = flags.values.publicUrl ?? `http://${DEFAULT_HOST}:${DEFAULT_PORT}`;
  // The document needs neither storage nor keys, but a service has both.
  const signer = createLinkSigner({
    keys: [{ kid: 'unused', algorithm: 'HS256', secret: new Uint8Array(32) }],
    issuer: publicUrl,
  });
  const { openapi } = createClaimlink({ storage: createMemoryStorage(), signer, publicUrl });
  io.stdout.write(`${JSON.stringify(openapi, null, 2)}\n`);
}
