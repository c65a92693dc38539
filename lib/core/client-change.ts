// Changes of a client: what a change names, and the client after it.
import { assertOptions } from './assert-options.js';
import { BRANDING, MEMBERS } from './client-settings.js';
import { invalidParameter } from './errors.js';
import { isPlainObject } from './plain-data.js';
import { SETTINGS } from './settings.js';
import type { AdminStorage, ClientMember, ClientStorage, NamedChange } from './storage.js';
import type { Client, ClientUpdate } from './types.js';
import { assertObject } from './validators.js';

/** The settings whose members are changed one by one. */
const MERGED = { branding: Object.keys(BRANDING), settings: Object.keys(SETTINGS) };

/**
 * Returns what a change names. The values to set are not checked.
 * @throws `request_invalid` for an unknown member, and for one that is undefined
 */
export function namedChange(change: ClientUpdate): NamedChange {
  assertObject(change, 'change');
  const members = namedMembers(change, MEMBERS, '');
  const remove = members.remove;
  for (const [name, allowed] of Object.entries(MERGED)) {
    const value = members.set.get(name);
    if (!isPlainObject(value)) continue;
    const nested = namedMembers(value, allowed, name);
    remove.push(...nested.remove.map((member) => `${name}.${member}`));
    if (nested.set.size > 0) members.set.set(name, Object.fromEntries(nested.set));
    else members.set.delete(name);
  }
  const { clientId, ...set } = Object.fromEntries(members.set) as unknown as Client;
  return { clientId, set, remove: remove as ClientMember[] };
}

/** Returns the members that an object sets, and those that it removes by null. */
function namedMembers(value: object, allowed: readonly string[], parameter: string) {
  assertOptions<Record<string, unknown>>({ ...value }, allowed, { parameter });
  // Also inherited members, as in every check of options.
  const named = allowed
    .filter((name) => name in value)
    .map((name) => [name, Reflect.get(value, name)] as const);
  for (const [name, member] of named)
    if (member === undefined)
      throw invalidParameter(
        parameter === '' ? name : `${parameter}.${name}`,
        'value',
        'must not be undefined: leave it out, or remove it by null',
      );
  return {
    set: new Map<string, unknown>(named.filter(([, member]) => member !== null)),
    remove: named.filter(([, member]) => member === null).map(([name]): string => name),
  };
}

/** Returns a client after a change, for a storage that reads and writes it in one transaction. */
export function changedClient(client: Client, { set, remove }: Pick<NamedChange, 'set' | 'remove'>): Client {
  const changed = new Map<string, unknown>(Object.entries({ ...client, ...set }));
  for (const name of Object.keys(MERGED) as (keyof typeof MERGED)[]) {
    const prefix = `${name}.`;
    const removed = remove.filter((path) => path.startsWith(prefix));
    if (set[name] === undefined && removed.length === 0) continue;
    const members = new Map<string, unknown>(Object.entries({ ...client[name], ...set[name] }));
    for (const path of removed) members.delete(path.slice(prefix.length));
    if (members.size > 0) changed.set(name, Object.fromEntries(members));
    else changed.delete(name);
  }
  for (const name of remove) changed.delete(name);
  return Object.fromEntries(changed) as unknown as Client;
}

/** The last change of each client of a storage without `changeClient`. */
const turns = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Creates `changeClient` for a storage that lacks it: reads the client and replaces it, one change of a client after another.
 * Calls for the same `storage` share their turns, in this process only.
 */
export function createChangeClient(
  storage: object,
  { findClient, updateClient }: Pick<AdminStorage, 'findClient' | 'updateClient'>,
): ClientStorage['changeClient'] {
  const last = turns.get(storage) ?? new Map<string, Promise<unknown>>();
  turns.set(storage, last);

  async function change(named: NamedChange): Promise<boolean> {
    const client = await findClient(named.clientId);
    return client !== undefined && updateClient(changedClient(client, named));
  }

  return (named) => {
    const { clientId } = named;
    const result = (last.get(clientId) ?? Promise.resolve()).then(() => change(named));
    const turn = result
      .catch(() => {})
      .finally(() => {
        if (last.get(clientId) === turn) last.delete(clientId);
      });
    last.set(clientId, turn);
    return result;
  };
}
