// The use cases that create and change clients, API keys and sessions. They validate; a storage only stores.
import { randomBytes } from 'node:crypto';
import { assertOptions } from './assert-options.js';
import { assertClient } from './client-settings.js';
import { issueApiKey } from './credentials.js';
import { invalidParameter } from './errors.js';
import { type GuardedStorage, implementing } from './guarded-storage.js';
import type { ApiKey, Client, SessionRecord } from './types.js';
import { assertDate, assertId, isStorableDate, parseSession } from './validators.js';

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
 * Creates and changes clients, API keys and sessions. Every method needs an `AdminStorage`, and throws `options_invalid`
 * without one, and `request_invalid` for invalid arguments.
 */
export interface Provisioning {
  /** Adds a client. @throws `already_exists` for a taken id, `request_invalid` for an invalid id or setting. */
  addClient(client: Client): Promise<void>;
  /**
   * Replaces all settings of a client. A setting that is absent is removed. Returns false for an unknown client.
   * @throws `request_invalid` for an invalid setting.
   */
  updateClient(client: Client): Promise<boolean>;
  /** Deletes a client with its API keys, links and sessions. Returns false for an unknown client. */
  removeClient(clientId: string): Promise<boolean>;
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
  /**
   * Adds a session that claimlink did not create. Its members have the types of `SessionRecord` and the maximum lengths of
   * a claim. Its texts may be empty; its ids, its references and its status may not. Other members are not stored.
   * @throws `client_not_found`; `already_exists` for a reference that the client has already; `request_invalid` with the
   * problems of the session.
   */
  addSession(session: SessionRecord): Promise<void>;
}

/** Creates the use cases. */
export function createProvisioning(storage: GuardedStorage, now: () => Date): Provisioning {
  const admin = () => implementing(storage, 'AdminStorage');

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
    async addClient(client) {
      assertClient(client);
      await admin().insertClient(client);
    },

    async updateClient(client) {
      assertClient(client);
      return admin().updateClient(client);
    },

    async removeClient(clientId) {
      assertId(clientId, 'clientId');
      return admin().deleteClient(clientId);
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

    async addSession(session) {
      await admin().insertSession(parseSession(session));
    },
  };
}

/** Returns the expiry of a new key that works as long as the old one from its creation on. */
function sameLifetime({ createdAt, expiresAt }: ApiKey, time: Date): Date | undefined {
  const lifetime = expiresAt && expiresAt.getTime() - createdAt.getTime();
  return lifetime === undefined ? undefined : new Date(Math.min(time.getTime() + lifetime, LAST_TIME));
}
