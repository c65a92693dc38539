// Checks what a client of the mock is made with.
import { assertCallbackOrigins, assertClientId, type ErrorDetail, isClaimlinkError } from '../lib/index.js';

const MEMBERS = ['clientId', 'apiKey', 'name', 'callbackOrigins'];

/** Every problem of a client; pointers are relative to it. */
export function checkClient(client: unknown): ErrorDetail[] {
  const found: [string, string | undefined][] = [
    ['clientId', checkClientId(member(client, 'clientId'))],
    ['apiKey', checkApiKey(member(client, 'apiKey'))],
    ['name', checkName(member(client, 'name'))],
    ['callbackOrigins', checkCallbackOrigins(member(client, 'callbackOrigins'))],
    ...Object.keys(Object(client))
      .filter((name) => !MEMBERS.includes(name))
      .map((name): [string, string] => [
        name.slice(0, 100),
        `is not a member of a client, which are ${MEMBERS.join(', ')}`,
      ]),
  ];
  return found.flatMap(([name, detail]) =>
    detail === undefined ? [] : [{ pointer: `/${name}`, rule: 'value', detail }],
  );
}

/** Every problem of a list of clients; pointers are relative to the list. */
export function checkClients(value: unknown): string | ErrorDetail[] {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one client';
  const seen = { clientId: new Set<unknown>(), apiKey: new Set<unknown>() };
  return value.flatMap((client, index) => {
    const problems = checkClient(client);
    for (const name of ['clientId', 'apiKey'] as const) {
      const id = member(client, name);
      if (seen[name].has(id))
        problems.push({ pointer: `/${name}`, rule: 'unique', detail: "is another client's already" });
      seen[name].add(id);
    }
    return problems.map((problem) => ({ ...problem, pointer: `/${index}${problem.pointer}` }));
  });
}

function checkClientId(value: unknown): string | undefined {
  return typeof value === 'string' ? reasonOf(() => assertClientId(value)) : 'is required, a string';
}

function checkApiKey(value: unknown): string | undefined {
  const isKey = typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value);
  return isKey ? undefined : 'must be 1 to 200 printable ASCII characters without spaces';
}

function checkName(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? undefined : 'must be a string';
}

function checkCallbackOrigins(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string'))
    return 'must be a list of strings';
  return reasonOf(() => assertCallbackOrigins(value));
}

/** What an assertion of claimlink finds wrong. */
function reasonOf(assert: () => void): string | undefined {
  try {
    assert();
    return undefined;
  } catch (error) {
    if (!isClaimlinkError(error)) throw error;
    return error.details?.[0]?.detail ?? error.message;
  }
}

/** A member of what may be no object. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
