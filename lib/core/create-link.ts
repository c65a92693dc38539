// Creates a link, or repeats the one of an earlier request.
import { callbackPolicy, callbackProblem } from './callback-url.js';
import { createAccessCode, hashAccessCode } from './credentials.js';
import { invalidParameter } from './errors.js';
import type { GuardedStorage } from './guarded-storage.js';
import { createIdempotency, type IdempotentRequest, type LinkSecrets } from './idempotency.js';
import { type ResolvedOptions, ttlProblem } from './options.js';
import { deepFreeze } from './plain-data.js';
import type { PresentedClient } from './storage.js';
import type { CreatedLink, Link, LinkOptions, WidgetConfig } from './types.js';
import { linkUrl } from './url.js';
import { idempotencyKeyProblem, parseLinkRequest } from './validators.js';

/** Number of random access codes to try. If all are taken, the generator or the storage is broken. */
const MAX_ATTEMPTS = 3;

/** A SHA-256 as hexadecimal digits. A database may fail on another text. */
const LINK_ID = /^[\da-f]{64}$/;

/** Creates the use case. */
export function createLinkCreation(options: ResolvedOptions, storage: GuardedStorage) {
  const { signer, publicUrl, now } = options;
  const idempotency = createIdempotency(options, storage);

  async function createLink(
    client: PresentedClient,
    body: unknown,
    linkOptions: LinkOptions & Pick<Link, 'createdBy'> = {},
  ): Promise<CreatedLink> {
    const { ttlSeconds = options.linkTtlSeconds, idempotencyKey, createdBy } = linkOptions;
    const { clientId } = client;
    const problem = ttlProblem(ttlSeconds);
    if (problem !== undefined) throw invalidParameter('ttlSeconds', 'value', problem);
    const keyProblem = idempotencyKey === undefined ? undefined : idempotencyKeyProblem(idempotencyKey);
    if (keyProblem !== undefined)
      throw invalidParameter('idempotencyKey', keyProblem.rule, keyProblem.detail);
    const request = parseLinkRequest(body, {
      callbackProblem: (callbackUrl) => callbackProblem(callbackUrl, callbackPolicy(client, options)),
      stepKeys: options.stepKeys,
    });
    const once =
      idempotencyKey === undefined
        ? undefined
        : idempotency.identify({ clientId, idempotencyKey, request, ttlSeconds: linkOptions.ttlSeconds });
    // A link under another key of the ring does not prevent the insertion.
    const earlier = once && once.keyMacs.length > 1 ? await repeatLink(clientId, once) : undefined;
    if (earlier !== undefined) return earlier;
    // 42 and "42" identify the same user.
    const userId = String(request.config.currentUserId);
    const config = await withOwnRenews(clientId, userId, request.config);
    const createdAt = new Date(now());
    // A token counts in whole seconds. Link and token must expire at the same time.
    const issuedAt = new Date(Math.floor(createdAt.getTime() / 1000) * 1000);
    const expiresAt = new Date(issuedAt.getTime() + ttlSeconds * 1000);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const accessCode = createAccessCode();
      const linkId = hashAccessCode(accessCode);
      // Frozen, so that a storage in memory may keep it without a copy.
      const link: Link = deepFreeze({
        accessCodeHash: linkId,
        clientId,
        userId,
        callbackUrl: request.callbackUrl,
        callbackOnSubmit: request.callbackOnSubmit ?? false,
        config,
        createdAt,
        expiresAt,
        ...(createdBy !== undefined && { createdBy }),
      });
      if (once === undefined) {
        if (!(await storage.insertLink(link))) continue;
        const token = signer.sign({ accessCode, clientId, issuedAt, expiresAt });
        return { url: urlOf({ accessCode, token }), linkId, expiresAt };
      }
      const secrets = { accessCode, token: signer.sign({ accessCode, clientId, issuedAt, expiresAt }) };
      if (await once.storage.insertLinkOnce(link, once.seal(secrets)))
        return { url: urlOf(secrets), linkId, expiresAt };
      const first = await repeatLink(clientId, once);
      if (first !== undefined) return first;
    }
    throw new Error(`The storage reports ${MAX_ATTEMPTS} random access codes in a row as taken.`);
  }

  /** Returns the config without the id of a link that this client and user do not have. */
  async function withOwnRenews(
    clientId: string,
    userId: string,
    { renews, ...config }: WidgetConfig,
  ): Promise<WidgetConfig> {
    if (renews === undefined || !LINK_ID.test(renews)) return config;
    const stored = await storage.findLink({ clientId, accessCodeHash: renews });
    return stored?.link.userId === userId ? { ...config, renews } : config;
  }

  /** Returns the link that an earlier request with the Idempotency-Key created, or undefined. */
  async function repeatLink(clientId: string, once: IdempotentRequest): Promise<CreatedLink | undefined> {
    const stored = await once.storage.findIdempotentLink({ clientId, keyMacs: once.keyMacs });
    if (stored === undefined) return undefined;
    return { url: urlOf(once.open(stored)), linkId: stored.accessCodeHash, expiresAt: stored.expiresAt };
  }

  function urlOf({ accessCode, token }: LinkSecrets): string {
    return linkUrl(publicUrl, accessCode, token);
  }

  return { createLink, supportsIdempotency: idempotency.isSupported };
}
