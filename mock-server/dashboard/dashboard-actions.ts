// What the dashboard's forms do: each action by its name, from the fields of its form.
import { ClaimlinkError, type ErrorDetail, isClaimlinkError } from '../../lib/index.js';
import { FAULT_EFFECTS, type Fault, type NewMockClient, ROUTE_NAMES, type Scope } from '../control.js';
import type { MockClientOptions } from '../options.js';
import { CLOCK_UNITS } from './dashboard-clock.js';
import { toLinkRequest } from './dashboard-link-fields.js';
import type { DashboardDeps, PageState } from './dashboard-view.js';

/** What an action has to go by. */
export interface ActionContext {
  deps: DashboardDeps;
  /** The client that was shown, and the user. */
  client: MockClientOptions;
  userId: string;
  /** What clock, faults, reset and snapshots are for. */
  scope: Scope;
  fields: URLSearchParams;
}

/** Does it, and says what to show next where that is not the page it came from. */
type Action = (
  context: ActionContext,
) => Promise<Partial<PageState> | undefined> | Partial<PageState> | undefined;

/** Every action. Each throws what `MockControl` throws, with pointers that name the fields. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  async 'add-client'({ deps, fields }) {
    const { clientId } = await deps.control.addClient(toNewClient(fields));
    return { client: clientId, user: '' };
  },

  'remove-client'({ deps, client }) {
    if (!deps.control.removeClient(client.clientId)) throw new ClaimlinkError('client_not_found');
    return { client: '', user: '' };
  },

  async 'make-link'({ deps, client, fields }) {
    const request = toLinkRequest(fields);
    const { clientId } = client;
    const { url } = await deps.claimlink.createLink(clientId, request);
    const made = deps.control.links({ clientId }).findLast((link) => link.url === url);
    return { user: String(request.config.currentUserId), made: made?.id };
  },

  async 'submit-link'({ deps, fields }) {
    await deps.control.submitLink(fields.get('link') ?? '');
  },

  'expire-link'({ deps, fields }) {
    deps.control.expireLink(fields.get('link') ?? '');
  },

  async 'revoke-link'({ deps, fields }) {
    await deps.control.revokeLink(fields.get('link') ?? '');
  },

  'clear-journal'({ deps, scope }) {
    // Requests that name no client are in nobody's scope: with one client, they are its own.
    deps.control.clearRequests(deps.control.clients.length === 1 ? {} : scope);
  },

  'turn-clock'({ deps, scope, fields }) {
    deps.control.clock.advance(toNumber(fields, 'ms'), scope);
  },

  'advance-clock'({ deps, scope, fields }) {
    const unit = Object.entries(CLOCK_UNITS).find(([name]) => name === fields.get('/unit'));
    if (unit === undefined) throw wrong('/unit', `must be one of: ${Object.keys(CLOCK_UNITS).join(', ')}`);
    atField('/amount', () => deps.control.clock.advance(toNumber(fields, '/amount') * unit[1], scope));
  },

  'set-clock'({ deps, scope, fields }) {
    const text = (fields.get('/now') ?? '').trim();
    // Without a zone it is UTC, as everything the page shows.
    const moment = new Date(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text.replace(' ', 'T')}Z`);
    if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(moment.getTime()))
      throw wrong('/now', 'must be a moment such as 2030-01-31T14:05, UTC');
    atField('/now', () => deps.control.clock.set(moment, scope));
  },

  'freeze-clock'({ deps, scope }) {
    deps.control.clock.freeze(scope);
  },

  'resume-clock'({ deps, scope }) {
    deps.control.clock.resume(scope);
  },

  'reset-clock'({ deps, scope }) {
    deps.control.clock.reset(scope);
  },

  'add-fault'({ deps, scope, fields }) {
    deps.control.addFault({ ...scope, ...toFault(fields) });
  },

  'clear-fault'({ deps, fields }) {
    deps.control.clearFaults({ id: fields.get('fault') ?? '' });
  },

  'clear-faults'({ deps, scope }) {
    deps.control.clearFaults(scope);
  },

  reset({ deps, scope }) {
    deps.control.reset(scope);
  },

  'take-snapshot'({ deps, scope, fields }) {
    const name = (fields.get('/name') ?? '').trim();
    if (name === '') throw wrong('/name', 'must not be empty');
    atField('/name', () => deps.snapshots.take(name, scope));
  },

  'restore-snapshot'({ deps, fields }) {
    deps.snapshots.restore(fields.get('name') ?? '');
  },

  'forget-snapshot'({ deps, fields }) {
    deps.snapshots.forget(fields.get('name') ?? '');
  },
};

function toNewClient(fields: URLSearchParams): NewMockClient {
  const textOf = (name: string) => fields.get(`/${name}`)?.trim() || undefined;
  const [clientId, apiKey, name] = [textOf('clientId'), textOf('apiKey'), textOf('name')];
  const origins = textOf('callbackOrigins')?.split(/[\s,]+/);
  return {
    ...(clientId !== undefined && { clientId }),
    ...(apiKey !== undefined && { apiKey }),
    ...(name !== undefined && { name }),
    ...(origins && { callbackOrigins: origins.filter((origin) => origin !== '') }),
  };
}

function toFault(fields: URLSearchParams): Fault {
  const route = ROUTE_NAMES.find((name) => name === fields.get('/route'));
  const effect = FAULT_EFFECTS.find((name) => name === fields.get('/effect'));
  const isStatus = fields.get('/effect') === 'status';
  const isGiven = (name: string) => (fields.get(name) ?? '').trim() !== '';
  const problems: ErrorDetail[] = [];
  const parse = <T>(name: string, read: () => T): T | undefined => {
    try {
      return isGiven(name) ? read() : undefined;
    } catch (error) {
      if (isClaimlinkError(error)) problems.push(...(error.details ?? []));
      return undefined;
    }
  };
  const status = isStatus ? parse('/status', () => toNumber(fields, '/status')) : undefined;
  const delayMs = parse('/delayMs', () => toDelay(fields.get('/delayMs') ?? ''));
  const times = parse('/times', () => toNumber(fields, '/times'));
  const rate = parse('/rate', () => toNumber(fields, '/rate'));
  if (isStatus && !isGiven('/status'))
    problems.push({ pointer: '/status', rule: 'required', detail: 'is required, 400 to 599' });
  if (fields.get('/effect') === 'delay' && !isGiven('/delayMs'))
    problems.push({
      pointer: '/delayMs',
      rule: 'required',
      detail: 'is required, milliseconds such as 200 or 100-800',
    });
  if (problems.length > 0) throw refusal(problems);
  return {
    ...(route && { route }),
    ...(status !== undefined && { status }),
    ...(effect && { effect }),
    ...(delayMs !== undefined && { delayMs }),
    ...(times !== undefined && { times }),
    ...(rate !== undefined && { rate }),
  };
}

function toDelay(text: string): number | [number, number] {
  const [, least, most] = /^\s*(\d+)\s*(?:[-–]\s*(\d+))?\s*$/.exec(text) ?? [];
  if (least === undefined)
    throw wrong('/delayMs', 'must be milliseconds such as 200, or a range such as 100-800');
  return most === undefined ? Number(least) : [Number(least), Number(most)];
}

function toNumber(fields: URLSearchParams, name: string): number {
  const text = (fields.get(name) ?? '').trim();
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw wrong(name, 'must be a number');
  return Number(text);
}

/** Does it; what is refused without a field of the form is told at this one. */
function atField(pointer: string, act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!isClaimlinkError(error) || error.code !== 'request_invalid') throw error;
    const problems = error.details ?? [{ rule: 'value' as const, detail: error.message }];
    throw refusal(problems.map(({ rule, detail }) => ({ pointer, rule, detail })));
  }
}

function wrong(pointer: string, detail: string): ClaimlinkError {
  return refusal([{ pointer, rule: 'value', detail }]);
}

function refusal(details: readonly ErrorDetail[]): ClaimlinkError {
  return new ClaimlinkError('request_invalid', 'The form cannot be taken as it is.', { details });
}
