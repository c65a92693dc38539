// The clients of a mock, by id and by API key.
import { randomBytes } from 'node:crypto';
import { ClaimlinkError, hashApiKey } from '../../lib/index.js';
import type { ClientChange, ClientSettings, MockClientOptions, NewMockClient, Scope } from '../control.js';
import { invalidValue, problemAt } from '../problems.js';
import { settingsProblems } from '../scenario/scenario-check.js';
import { checkWith } from '../scenario/schema-check.js';
import { createTenant, type Tenant, type TenantOptions } from './client-state.js';
import type { InitialClient } from './initial.js';
import type { ClientSnapshot } from './snapshot.js';

const MAX_CLIENTS = 10_000;

/** The clients of a mock. */
export interface Tenants {
  all(): Tenant[];
  find(clientId: string | null | undefined): Tenant | undefined;
  /** @throws `client_not_found` */
  need(clientId: string): Tenant;
  /** Returns the client of the scope, or all. @throws `client_not_found` */
  select(scope: Scope): Tenant[];
  /** Returns the id of the client with this key. */
  keyOwner(apiKey: string): string | undefined;
  keyHashOwner(apiKeyHash: string): string | undefined;
  /** Adds a client in its initial state, or in another one. */
  put(initial: InitialClient, isConfigured: boolean, state?: ClientSnapshot): Tenant;
  drop(tenant: Tenant): void;
}

/** Creates an empty registry. */
export function createTenants(options: Pick<TenantOptions, 'systemNow' | 'emit'>): Tenants {
  const tenants = new Map<string, Tenant>();
  const idsByKeyHash = new Map<string, string>();

  function need(clientId: string): Tenant {
    const tenant = tenants.get(clientId);
    if (tenant === undefined) throw new ClaimlinkError('client_not_found');
    return tenant;
  }

  return {
    all: () => [...tenants.values()],
    find: (clientId) => (typeof clientId === 'string' ? tenants.get(clientId) : undefined),
    need,
    select: ({ clientId }) => (clientId === undefined ? [...tenants.values()] : [need(clientId)]),
    keyOwner: (apiKey) => idsByKeyHash.get(hashApiKey(apiKey)),
    keyHashOwner: (apiKeyHash) => idsByKeyHash.get(apiKeyHash),
    put(initial, isConfigured, state = initial.createInitial()) {
      const tenant = createTenant({ ...options, ...initial, isConfigured });
      tenant.restore(state);
      tenants.set(initial.client.clientId, tenant);
      idsByKeyHash.set(tenant.apiKeyHash, initial.client.clientId);
      return tenant;
    },
    drop({ client, apiKeyHash }) {
      tenants.delete(client.clientId);
      idsByKeyHash.delete(apiKeyHash);
    },
  };
}

/**
 * Returns a client to add, with generated members in the place of those that are missing.
 * @throws `request_invalid`; `already_exists` for the id or the key of another client
 */
export function completeClient(client: NewMockClient, tenants: Tenants): MockClientOptions {
  const complete: MockClientOptions = {
    clientId: `tenant-${randomBytes(6).toString('hex')}`,
    apiKey: `clk_test_${randomBytes(12).toString('hex')}`,
    // JSON removes members that are undefined.
    ...JSON.parse(JSON.stringify(client)),
  };
  const problems = [...checkWith('client', complete)];
  if (problems.length === 0) problems.push(...settingsProblems(complete));
  if (tenants.all().length >= MAX_CLIENTS)
    problems.push(problemAt('', 'value', `is one more than ${MAX_CLIENTS}`));
  if (problems.length > 0) throw invalidValue('The client', problems);
  if (tenants.find(complete.clientId) !== undefined) throw alreadyExists('A client with this id');
  if (tenants.keyOwner(complete.apiKey) !== undefined) throw alreadyExists('A client with this API key');
  return complete;
}

/**
 * Returns the settings of a client after a change.
 * @throws `request_invalid`
 */
export function changeSettings(
  { client: { clientId, apiKey, userIds, userCount, isConfigured, ...settings } }: Tenant,
  change: ClientChange,
): ClientSettings {
  const changed = mergePatch(settings, change) as ClientSettings;
  const problems = settingsProblems({ clientId, ...changed });
  if (problems.length > 0) throw invalidValue('The client', problems);
  return changed;
}

/** Applies a JSON Merge Patch (RFC 7396). */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map<string, unknown>(Object.entries(Object(target)));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else if (value !== undefined) merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function alreadyExists(subject: string): ClaimlinkError {
  return new ClaimlinkError('already_exists', `${subject} exists already.`);
}
