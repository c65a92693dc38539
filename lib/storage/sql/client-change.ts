// The assignments of an UPDATE that changes some settings of a client, for every SQL storage.
import type { NamedChange } from '../../core/storage.js';
import type { Client } from '../../core/types.js';
import type { Bind } from './conditions.js';

/** How a database writes JSON. */
export interface JsonDialect {
  /** Returns the expression of JSON from the one of its text. */
  toJson(text: string): string;
  /** Returns the expression of an object with a member set. `value` is JSON. */
  setMember(object: string, name: string, value: string, bind: Bind): string;
  /** Returns the expression of an object without a member. */
  removeMember(object: string, name: string, bind: Bind): string;
}

const COLUMNS: Record<Exclude<keyof Client, 'clientId'>, string> = {
  name: 'name',
  callbackOrigins: 'callback_origins',
  locale: 'locale',
  branding: 'branding',
  frameAncestors: 'frame_ancestors',
  settings: 'settings',
};

/** Returns the assignments of a change. `branding` and `settings` become NULL with their last member. */
export function clientAssignments(
  { set, remove }: NamedChange,
  bind: Bind,
  { toJson, setMember, removeMember }: JsonDialect,
): string {
  const list = (origins: Client['callbackOrigins']) => origins && toJson(bind(JSON.stringify(origins)));

  /** Returns the object of a column with its changes, or undefined if it has none. */
  function members(column: 'branding' | 'settings'): string | undefined {
    const changed = Object.entries({ ...set[column] });
    const removed = remove.filter((path) => path.startsWith(`${column}.`));
    if (changed.length + removed.length === 0) return undefined;
    let object = `coalesce(${column}, ${toJson("'{}'")})`;
    for (const [name, value] of changed) object = setMember(object, name, JSON.stringify(value), bind);
    for (const path of removed) object = removeMember(object, path.slice(column.length + 1), bind);
    return `NULLIF(${object}, ${toJson("'{}'")})`;
  }

  const values = {
    name: set.name === undefined ? undefined : bind(set.name),
    callbackOrigins: list(set.callbackOrigins),
    locale: set.locale === undefined ? undefined : bind(set.locale),
    branding: members('branding'),
    frameAncestors: list(set.frameAncestors),
    settings: members('settings'),
  };
  return (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[])
    .map((name) => [COLUMNS[name], remove.includes(name) ? 'NULL' : values[name]])
    .filter(([, value]) => value !== undefined)
    .map((assignment) => assignment.join(' = '))
    .join(', ');
}
