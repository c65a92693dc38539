// The use cases of API keys: list, find, issue, rotate, change and revoke them.
import { randomBytes } from 'node:crypto';
import { assertOptions } from '../assert-options.js';
import { issueApiKey } from '../credentials.js';
import { invalidParameter } from '../errors.js';
import { findClient } from '../service.js';
import type { ApiKey } from '../types.js';
import { assertDate, assertId, isStorableDate } from '../validators.js';
import { type AdministrationContext, storageWith } from './context.js';

const DAY_MS = 86_400_000;
/** The last time that databases store. A host may mean it by a key that does not expire. */
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Days after which a rotated key ends, unless the caller chooses. */
const DAYS_OF_OLD_KEY = 7;

/** Options of `addApiKey`. */
export interface ApiKeyOptions {
  /** The key is rejected from this time on. Default: the key never expires. */
  expiresAt?: Date;
}

/** Options of `rotateApiKey`. */
export interface RotationOptions {
  /** When the new key expires. Default: it works as long as the old one from its creation on. */
  expiresAt?: Date | 'never';
  /** When the old key ends; now ends it at once. Default: in 7 days. An earlier expiry of the old key stays. */
  oldKeyEndsAt?: Date;
}

/** A new API key. */
export interface IssuedApiKey {
  /** The key itself. Nothing stores it: show it to its owner once. */
  key: string;
  /** The stored key. Its `id` identifies it in lists and for revocation. */
  apiKey: ApiKey;
}

/** The result of a rotation. */
export interface RotatedApiKey extends IssuedApiKey {
  /** When the old key ends. Absent if it was revoked or removed in the meantime, and with `oldKeyError`. */
  oldKeyEndsAt?: Date;
  /** The error of the storage that could not set the end of the old key. The new key works; both may work. */
  oldKeyError?: unknown;
}

/**
 * Lists, issues, rotates, changes and revokes API keys. Every method needs an `AdminStorage`, and throws
 * `options_invalid` without one, and `request_invalid` for invalid arguments.
 */
export interface KeyAdministration {
  /** Returns the API keys of a client, oldest first. @throws `client_not_found`. */
  listApiKeys(clientId: string): Promise<readonly ApiKey[]>;
  /** Returns an API key in any state, by its id. Returns undefined if there is none. */
  findApiKey(id: string): Promise<ApiKey | undefined>;
  /** Creates an API key for a client and returns it, the only time. @throws `client_not_found`. */
  addApiKey(clientId: string, options?: ApiKeyOptions): Promise<IssuedApiKey>;
  /**
   * Creates an API key for the client of another key, which then ends. Both work until then. Never extends the old key.
   * Returns undefined if no key has this id, or if it has expired or is revoked.
   */
  rotateApiKey(id: string, options?: RotationOptions): Promise<RotatedApiKey | undefined>;
  /** Changes when an API key expires. Returns false if no key has this id, or if it is revoked. */
  updateApiKey(id: string, settings: { expiresAt: Date | 'never' }): Promise<boolean>;
  /** Revokes an API key. Returns false if no key has this id, or if it is revoked already. */
  revokeApiKey(id: string): Promise<boolean>;
}

/** Creates the use cases of API keys. */
export function createKeyAdministration(context: AdministrationContext): KeyAdministration {
  const { now } = context;
  const admin = () => storageWith(context, 'AdminStorage');

  async function insertKey(clientId: string, expiresAt: Date | undefined): Promise<IssuedApiKey> {
    const { key, hash } = issueApiKey();
    const apiKey: ApiKey = {
      id: `key_${randomBytes(6).toString('hex')}`,
      clientId,
      hash,
      hint: `clk_…${key.slice(-4)}`,
      createdAt: now(),
      ...(expiresAt && { expiresAt }),
    };
    await admin().insertApiKey(apiKey);
    return { key, apiKey };
  }

  /** Returns the expiry of a key, or undefined if it never expires. @throws `request_invalid` unless it is in the future. */
  function futureDate(expiresAt: unknown): Date | undefined {
    if (expiresAt === undefined || expiresAt === 'never') return undefined;
    if (isStorableDate(expiresAt) && expiresAt > now()) return expiresAt;
    throw invalidParameter('expiresAt', 'value', 'must be a Date in the future');
  }

  return {
    async listApiKeys(clientId) {
      const storage = admin();
      await findClient(storage, clientId);
      return storage.listApiKeys(clientId);
    },

    async findApiKey(id) {
      assertId(id, 'id');
      return admin().findApiKey(id);
    },

    async addApiKey(clientId, options = {}) {
      assertId(clientId, 'clientId');
      assertOptions(options, ['expiresAt']);
      return insertKey(clientId, futureDate(options.expiresAt));
    },

    async rotateApiKey(id, options = {}) {
      assertId(id, 'id');
      assertOptions(options, ['expiresAt', 'oldKeyEndsAt']);
      const time = now();
      const chosenExpiry = futureDate(options.expiresAt);
      const { oldKeyEndsAt = new Date(time.getTime() + DAYS_OF_OLD_KEY * DAY_MS) } = options;
      assertDate(oldKeyEndsAt, 'oldKeyEndsAt');
      const old = await admin().findApiKey(id);
      if (old === undefined || old.revokedAt !== undefined || (old.expiresAt && old.expiresAt <= time))
        return undefined;
      const issued = await insertKey(
        old.clientId,
        options.expiresAt === undefined ? sameLifetime(old, time) : chosenExpiry,
      );
      if (old.expiresAt !== undefined && old.expiresAt <= oldKeyEndsAt)
        return { ...issued, oldKeyEndsAt: old.expiresAt };
      // The new key is stored, so the caller must get it even if the old one cannot be changed.
      try {
        const isUpdated = await admin().updateApiKey(id, { expiresAt: oldKeyEndsAt });
        return { ...issued, ...(isUpdated && { oldKeyEndsAt }) };
      } catch (oldKeyError) {
        return { ...issued, oldKeyError };
      }
    },

    async updateApiKey(id, settings) {
      assertId(id, 'id');
      assertOptions(settings, ['expiresAt'], { required: ['expiresAt'] });
      const expiresAt = futureDate(settings.expiresAt);
      return admin().updateApiKey(id, expiresAt ? { expiresAt } : {});
    },

    async revokeApiKey(id) {
      assertId(id, 'id');
      return admin().revokeApiKey(id, now());
    },
  };
}

/** Returns the expiry of a new key that works as long as the old one from its creation on. */
function sameLifetime({ createdAt, expiresAt }: ApiKey, time: Date): Date | undefined {
  const lifetime = expiresAt && expiresAt.getTime() - createdAt.getTime();
  return lifetime === undefined ? undefined : new Date(Math.min(time.getTime() + lifetime, LAST_TIME));
}
