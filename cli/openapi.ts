// claimlink openapi: prints the OpenAPI document of the API.
import type { Command } from 'commander';
import { DEFAULT_HOST, DEFAULT_PORT } from '../mock-server/schemas/defaults.js';
import type { CommandIo } from './command-io.js';
import { Flag } from './flags.js';
import { type OutputFlags, outputFlag, writeDocument } from './output.js';

export function addOpenapi(program: Command, io: CommandIo): Command {
  return program
    .command('openapi')
    .description('print the OpenAPI document of the API')
    .addOption(
      new Flag('--public-url <url>', 'base URL of the API in the document')
        .withVariable()
        .default(`http://${DEFAULT_HOST}:${DEFAULT_PORT}`),
    )
    .addOption(outputFlag())
    .addHelpText(
      'after',
      '\nExample: claimlink openapi --public-url https://claims.example.com --output openapi.json',
    )
    .action(async ({ publicUrl, ...flags }: OutputFlags & { publicUrl: string }) => {
      const { createClaimlink, createLinkSigner, createMemoryStorage } = await import('../lib/index.js');
      // The document needs neither storage nor keys, but a service has both.
      const signer = createLinkSigner({
        keys: [{ kid: 'unused', algorithm: 'HS256', secret: new Uint8Array(32) }],
        issuer: publicUrl,
      });
      const { openapi } = createClaimlink({ storage: createMemoryStorage(), signer, publicUrl });
      await writeDocument(io, flags, `${JSON.stringify(openapi, null, 2)}\n`);
    });
}
