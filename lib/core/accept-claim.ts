// Accepts a claim: by the rules of claimlink, with the photos of its link, and by the check of the host.
import { isDeepStrictEqual } from 'node:util';
import { describeLink } from './describe-link.js';
import { ClaimlinkError, type Problem } from './errors.js';
import type { ResolvedOptions } from './options.js';
import { photosOf } from './photo-settings.js';
import type { PhotosOnUse } from './photos-on-use.js';
import type { LinkWithClient } from './storage.js';
import type { AcceptedClaim, Client } from './types.js';
import { createClaimCheck } from './validate-claim.js';
import { type PhotoRules, parseClaimSubmission } from './validators.js';

/** Number of times that the host checks a claim, if photos arrive meanwhile. */
const MAX_CHECKS = 3;

const NO_PHOTOS =
  'The client asks for photos, and this process has no option photos. A process with it takes the claim.';

/** Creates the use case. */
export function createClaimAcceptance(options: ResolvedOptions, { rulesFor }: Pick<PhotosOnUse, 'rulesFor'>) {
  const checkClaim = createClaimCheck(options);

  /** @throws `settings_unknown` without the option `photos`, for a client that asks for photos. */
  function assertTakesPhotos({ settings }: Client): void {
    if (options.photos === undefined && photosOf(settings).need !== 'hidden')
      throw new ClaimlinkError('settings_unknown', NO_PHOTOS);
  }

  /** Checks a claim. Checks it again if photos arrive while the host checks it. */
  async function acceptClaim(
    verified: LinkWithClient,
    body: unknown,
    time: Date,
    { mustAcceptNotice, claimsAllPhotos }: { mustAcceptNotice: boolean; claimsAllPhotos: boolean },
  ): Promise<{ parsed: AcceptedClaim; problems: readonly Problem[] }> {
    const rules = () => rulesFor(verified, body, claimsAllPhotos);
    const parse = (photos: PhotoRules) =>
      parseClaimSubmission(body, time, verified.client.settings?.form, { mustAcceptNotice, photos });
    let parsed = parse(await rules());
    if (checkClaim === undefined) return { parsed, problems: [] };
    const openLink = describeLink(verified, time);
    for (let check = 1; ; check++) {
      const problems = await checkClaim(parsed, openLink);
      if (problems.length > 0 || !claimsAllPhotos || check === MAX_CHECKS) return { parsed, problems };
      const latest = parse(await rules());
      if (isDeepStrictEqual(latest, parsed)) return { parsed, problems };
      parsed = latest;
    }
  }

  return { assertTakesPhotos, acceptClaim };
}
