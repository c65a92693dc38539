// Opens the state of a mock over a persist file, prints what it has, then creates links and submits claims without end.
import { writeSync } from 'node:fs';
import { createClaimlink } from '../../dist/lib/index.js';
import { resolveMockOptions } from '../../dist/mock-server/options.js';
import { openMockState } from '../../dist/mock-server/state/mock-state.js';

const [persistFile = '', publicUrl = 'http://localhost:4010'] = process.argv.slice(2);
const state = await openMockState(resolveMockOptions({ persistFile }), publicUrl).catch((error) => {
  print({ refused: error.message });
  process.exit(2);
});
const { storage, signer, seeder, now } = state;
const service = createClaimlink({ storage, signer, publicUrl, now, allowLoopbackCallbacks: true });

function print(value) {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

async function work(userId) {
  for (let ordinal = 1; ; ordinal++) {
    const { url } = await service.createLink('demo', {
      callbackUrl: 'https://example.com/',
      config: { contact: seeder.contactOf('demo'), currentUserId: userId },
    });
    await state.saved();
    print({ url });
    const { pathname, searchParams } = new URL(url);
    const claim = seeder.claimOf('demo', userId, ordinal);
    const { reference } = await service.submitClaim(
      pathname.slice('/verify/'.length),
      searchParams.get('token') ?? '',
      claim,
    );
    await state.saved();
    print({ reference });
  }
}

print({ links: state.links({ limit: 10_000 }).map(({ url, reference }) => ({ url, reference })) });
await Promise.all(['ada', 'ben', 'cyd', 'dev'].map(work));
