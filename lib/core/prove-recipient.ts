// Lets only the recipient of a link pass, if its client says so.
import { knowsSettings } from './client-settings.js';
import { describeLink } from './describe-link.js';
import { ClaimlinkError, invalidOption, isClaimlinkError } from './errors.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import { createHostQuestion } from './host-question.js';
import type { Life } from './life.js';
import type { LinkSigner } from './link-signer.js';
import type { ResolvedOptions } from './options.js';
import { checkAnswer, RecipientCheckError, recipientQuestion } from './recipient-check.js';
import { settingCause } from './settings.js';
import type { LinkWithClient } from './storage.js';
import type { Client, RecipientProof } from './types.js';

const NEWER_SETTINGS =
  'The client has a setting that this version does not know. A process of the newer version takes the claim.';

/** What needs a `CheckStorage` and a signer with `derive`, for messages. */
const RECIPIENT_CHECK = settingCause('recipientCheck');

/** Checks that the pages can keep an answer. @throws `options_invalid` for a signer without `derive`. */
export function assertDerives({ derive }: Pick<LinkSigner, 'derive'>, cause = RECIPIENT_CHECK): void {
  if (derive !== undefined) return;
  const detail = `must have the method derive, which ${cause} needs; createLinkSigner has it`;
  throw invalidOption('/signer', 'combination', detail);
}

/** What proves the recipient of a link to the service: an answer, or that this browser has answered before. */
export interface ServiceProof extends RecipientProof {
  /** true: the caller has checked that the browser gave the right answer. */
  hasAnswered?: boolean;
}

/** @throws `settings_unknown` for a client with a setting that this version does not know. */
export function assertKnownSettings(client: Client): void {
  if (!knowsSettings(client)) throw new ClaimlinkError('settings_unknown', NEWER_SETTINGS);
}

/** Lets only the recipient of a link pass. */
export type ProveRecipient = ReturnType<typeof createProveRecipient>;

/** Creates the use case. */
export function createProveRecipient(
  { now, checkRecipient }: ResolvedOptions,
  storage: GuardedStorage,
  life: Life,
) {
  const host = createHostQuestion(checkRecipient);

  /**
   * Lets only the recipient of a link pass, if its client says so. Returns whether the prefill may be shown.
   * @throws RecipientCheckError, `link_locked`; `options_invalid` if the storage cannot count attempts;
   * `settings_unknown` for a check that this version does not know; `recipient_check_unavailable` if the host does not answer.
   */
  async function proveRecipient(verified: LinkWithClient, proof: ServiceProof): Promise<boolean> {
    if (verified.client.settings?.recipientCheck === undefined) return true;
    assertKnownSettings(verified.client);
    const attempts = implementing(storage, 'CheckStorage', RECIPIENT_CHECK);
    const question = recipientQuestion(verified);
    if (question === undefined) return false;
    if (question.asked.question) host.assertPresent();
    if (proof.hasAnswered === true) return true;
    const { link, client } = verified;
    const calls = {
      isLocked: () => life.isLocked(link),
      isRight: (answer: string) => host.isRight({ link: describeLink(verified, now()), client, answer }),
      forgives: () => host.forgives(link.accessCodeHash),
    };
    try {
      await checkAnswer(attempts, verified, question, proof.recipientAnswer, calls);
    } catch (error) {
      const isLocked =
        error instanceof RecipientCheckError
          ? error.attemptsLeft === 0
          : isClaimlinkError(error) && error.code === 'link_locked';
      if (isLocked) await life.lock(link);
      throw error;
    }
    return true;
  }

  return proveRecipient;
}
