// Runs a plan: services of the real core over one memory storage, in virtual time, with faults. Records the history.
import { createHash } from 'node:crypto';
import { type Claimlink, createClaimlink } from '../../lib/claimlink.js';
import { hashApiKey } from '../../lib/core/credentials.js';
import { asClaimlinkError } from '../../lib/core/errors.js';
import { createLinkSigner, type LinkSigner } from '../../lib/core/link-signer.js';
import { linkState } from '../../lib/core/link-state.js';
import type { LinkWithClient } from '../../lib/core/storage.js';
import type {
  ClaimlinkEvent,
  ClientSettings,
  DataDeletedEvent,
  LinkEvent,
  Session,
  SubmissionEvent,
} from '../../lib/core/types.js';
import type { StandaloneWidget } from '../../lib/core/widget.js';
import { createMemoryStorage, type MemoryStorage } from '../../lib/storage/memory.js';
import { claim } from '../core/world.js';
import type {
  Attempt,
  Call,
  CreateResult,
  FinalLink,
  History,
  Operation,
  SeenSession,
  SubmitResult,
  Told,
} from './history.js';
import type { LogEntry } from './kind.js';
import { createMockBackend } from './mock-backend.js';
import {
  type Action,
  type Answer,
  CLIENTS,
  LINK_SECONDS,
  NOTICE_SECONDS,
  type Plan,
  type Step,
  USERS,
} from './plan.js';
import { createRandom } from './random.js';
import { seconds } from './report.js';
import {
  createUnreliableStorage,
  STORAGE_TIMEOUT_SECONDS,
  type StorageContext,
} from './unreliable-storage.js';
import { createVirtualTime } from './virtual-time.js';

const PUBLIC_URL = 'https://claims.example.com';
const START = Date.parse('2026-03-02T10:00:00.000Z');
const CACHE_SECONDS = 30;
/** Small pages, so that readers follow cursors. */
const PAGE_SIZE = 2;
const HOUR = 3_600_000;

/** Customers ask for JSON, so no page is rendered. */
const neverRendered = (): never => {
  throw new Error('A page is rendered.');
};
const WIDGET: StandaloneWidget = {
  readForm: neverRendered,
  renderForm: neverRendered,
  renderSuccess: neverRendered,
  renderUnavailable: neverRendered,
};

/** The rings of signing keys: the new key is appended in every process, then put first. */
const SIGNERS: readonly LinkSigner[] = [['k1'], ['k1', 'k2'], ['k2', 'k1']].map((kids) =>
  createLinkSigner({
    keys: kids.map((kid) => ({ kid, algorithm: 'HS256', secret: `${kid}: a secret of at least 32 bytes` })),
    issuer: PUBLIC_URL,
  }),
);

/** The keys that the clients have at the start. */
const FIRST_KEYS = CLIENTS.map((clientId) => {
  const key = `first key of ${clientId}`;
  return { clientId, id: `key-${clientId}`, key, hash: hashApiKey(key) };
});

/** A process: a service of its own over the shared storage. */
interface Process {
  name: string;
  index: number;
  isDead: boolean;
  claimlink: Claimlink;
  storage: MemoryStorage;
  /** Its clock, compared with the virtual one. */
  clockMs: number;
  /** Calls that run. */
  open: Set<Operation>;
}

/** A context of the process that a storage call belongs to. */
interface ActionContext extends StorageContext {
  process: Process;
  /** claimlink gives up after three taken references. */
  hadTakenReference?: boolean;
}

/** A link that an actor has. */
interface KnownLink {
  client: string;
  user: string;
  /** The last part of the label of its session. */
  name: string;
  accessCode: string;
  token: string;
  linkId: string;
  reference?: string;
}

/** Runs a plan to its end. */
export async function runPlan(plan: Plan): Promise<History> {
  const time = createVirtualTime();
  const memory = createMemoryStorage();
  const operations: Operation[] = [];
  const attempts: Attempt[] = [];
  const told: Told[] = [];
  const log: LogEntry[] = [];
  const links = new Map<string, KnownLink>();
  const keys = new Map(FIRST_KEYS.map(({ clientId, id, key }) => [clientId, [{ id, key }]]));
  const readers = new Map<string, { cursor?: string; isBusy: boolean; seen: SeenSession[] }>();
  const processes: Process[] = [];
  const clocks = Array.from({ length: plan.processes }, () => 0);
  let ring = 0;
  let starts = 0;
  let references = 0;
  let crashes = 0;
  let clocksAgree = true;

  const record = (text: () => string) => void log.push({ atMs: time.now, text });
  const contextOf = () => time.context as ActionContext;

  function startProcess(index: number): void {
    const process: Process = {
      name: `P${index}.${++starts}`,
      index,
      isDead: false,
      clockMs: clocks[index] ?? 0,
      open: new Set(),
      storage: unreliable,
      claimlink: undefined as unknown as Claimlink,
    };
    const { storage } = process;
    process.claimlink = createClaimlink({
      storage,
      signer: SIGNERS[ring] as LinkSigner,
      publicUrl: PUBLIC_URL,
      linkTtlSeconds: LINK_SECONDS,
      storageTimeoutSeconds: STORAGE_TIMEOUT_SECONDS,
      maxPageSize: PAGE_SIZE,
      credentialCache: { maxAgeSeconds: CACHE_SECONDS },
      widget: plan.events ? WIDGET : false,
      now: () => new Date(clockOf(process)),
      newReference,
      ...(!plan.isMock && !plan.events && { onSubmit }),
      ...(plan.events && {
        onEvent,
        events: ['claim.submitted', ...plan.events],
        expiryNoticeSeconds: NOTICE_SECONDS,
      }),
      onError: () => {},
    });
    processes[index] = process;
    record(() => `${process.name} starts`);
  }

  /** Returns a key of a client. There may be fewer keys than the plan expects. */
  const keyOf = (client: string, index: number) => keys.get(client)?.[index] ?? { id: 'none', key: 'none' };

  const clockOf = ({ clockMs }: Pick<Process, 'clockMs'>) => START + time.now + clockMs;

  const settings: ClientSettings = {
    ...(plan.asksRecipients && { recipientCheck: ['/policy/number'] }),
    ...(plan.events && { allowDecline: true }),
  };

  const mock = plan.isMock
    ? createMockBackend(
        CLIENTS.map((clientId) => ({ clientId, apiKey: keyOf(clientId, 0).key, settings })),
        SIGNERS[0] as LinkSigner,
        () => new Date(clockOf(processes[0] ?? { clockMs: 0 })),
      )
    : undefined;

  /** Now and then a reference that is taken, which claimlink must notice. */
  function newReference(kind: 'session' | 'cams'): string {
    if (kind === 'cams') return 'C';
    const context = contextOf();
    if (references === 0 || context.hadTakenReference || !context.hasFaults || context.random.chance(0.8))
      return `S-${++references}`;
    context.hadTakenReference = true;
    return `S-${context.random.between(1, references)}`;
  }

  const unreliable = createUnreliableStorage<MemoryStorage>(mock?.storage ?? memory, time, record);

  function onSubmit(event: SubmissionEvent): Promise<void> {
    const { process } = contextOf();
    const { clientId: client, session } = event;
    const { reference } = session;
    const attempt: Attempt = {
      eventId: event.id,
      attempt: event.attempt,
      client,
      reference,
      label: labelOf(session),
      process: process.name,
      startedAt: time.now,
      isCommitted: memory.findSession({ clientId: client, reference }) !== undefined,
      outcome: 'never ended',
    };
    attempts.push(attempt);
    return handle(`onSubmit ${reference}, attempt ${event.attempt}`, (outcome) => {
      attempt.endedAt = time.now;
      attempt.outcome = outcome;
    });
  }

  function onEvent({ attempt, ...event }: ClaimlinkEvent): Promise<void> {
    if (event.type === 'claim.submitted') return onSubmit({ ...event, attempt } as SubmissionEvent);
    const entry: Told = {
      event: event as Omit<LinkEvent, 'attempt'> | Omit<DataDeletedEvent, 'attempt'>,
      attempt,
      startedAt: time.now,
      outcome: 'never ended',
    };
    told.push(entry);
    const subject = 'linkId' in event ? event.linkId.slice(0, 8) : event.why;
    return handle(`onEvent ${event.type} ${subject}, attempt ${attempt}`, (outcome) => {
      entry.endedAt = time.now;
      entry.outcome = outcome;
    });
  }

  /** Handles an event: at once, late, not at all, or with an error. */
  function handle(name: string, end: (outcome: 'handled' | 'failed') => void): Promise<void> {
    const { hasFaults, random, label } = contextOf();
    record(() => `${label} ${name}`);
    const fate = hasFaults ? random.below(10) : 10;
    if (fate === 0) return new Promise(() => {});
    const durationMs = hasFaults ? random.below(random.pick([5, 500, 50_000])) : 0;
    return new Promise((resolve, reject) => {
      time.schedule(durationMs, () => {
        const outcome = fate === 1 ? 'failed' : 'handled';
        end(outcome);
        record(() => `${label} ${name}: ${outcome}`);
        if (fate === 1) reject(new Error('injected'));
        else resolve();
      });
    });
  }

  /** Runs an action in a process, and records the call. */
  function start(action: Action, process: Process): void {
    const call = toCall(action.step, process);
    if (call === undefined) return;
    const clock = clockOf(process);
    const operation: Operation = {
      id: operations.length + 1,
      actor: action.actor,
      process: process.name,
      hasFaults: action.hasFaults,
      call,
      startedAt: time.now,
      clock: { from: clock, to: clock },
    };
    operations.push(operation);
    process.open.add(operation);
    const label = `#${operation.id}`;
    record(() => `${label} ${action.actor} in ${process.name}: ${text(call)}`);
    const context: ActionContext = {
      process,
      hasFaults: action.hasFaults,
      random: createRandom(plan.seed, action.id, 1),
      label,
    };
    time.schedule(
      0,
      async () => {
        try {
          operation.result = await perform(action.step, process, call);
        } catch (error) {
          operation.error = error instanceof Rejected ? error.message : asClaimlinkError(error).code;
          if (operation.error === 'internal') operation.error = `internal: ${error}`;
        }
        operation.endedAt = time.now;
        operation.clock.to = Math.max(operation.clock.to, clockOf(process));
        process.open.delete(operation);
        record(() => `${label} ${call.kind} -> ${operation.error ?? text(operation.result ?? 'done')}`);
      },
      context,
    );
  }

  /** Returns the call of a step, or undefined if the actor lacks what it needs. */
  function toCall(step: Step, process: Process): Call | undefined {
    const before = clockOf(process);
    switch (step.kind) {
      case 'create':
        return {
          kind: 'create',
          link: step.link,
          client: step.client,
          user: step.user,
          keyName: keyOf(step.client, step.key).id,
        };
      case 'list':
        return {
          kind: 'list',
          client: step.client,
          user: step.user,
          owner: step.owner,
          keyName: keyOf(step.owner, step.key).id,
        };
      case 'rotateKey':
      case 'revokeKey':
        return { kind: step.kind, client: step.client, keyName: keyOf(step.client, step.key).id };
      case 'sweep':
      case 'reduceLinks':
        return { kind: step.kind, before };
      case 'purge':
        return { kind: step.kind, before: before - step.ageMs };
      case 'update': {
        const { client = '', reference } = links.get(step.link) ?? {};
        return reference === undefined ? undefined : { ...step, client, reference };
      }
      case 'follow':
        // A reader makes one call at a time.
        if (readerOf(step.client, step.reader).isBusy) return undefined;
        readerOf(step.client, step.reader).isBusy = true;
        return step;
      case 'forge':
        return links.has(step.link) && links.has(step.tokenOf) && step.link !== step.tokenOf
          ? { kind: 'forge', link: step.link }
          : undefined;
      case 'open':
      case 'submit':
      case 'revoke':
      case 'start':
      case 'decline':
      case 'renew':
      case 'unlock':
      case 'revokeAsOther':
      case 'expire':
        return links.has(step.link) ? step : undefined;
      case 'deleteUser':
      case 'revokeAll':
      case 'deliver':
        return step;
      default:
        return undefined;
    }
  }

  async function perform(step: Step, process: Process, call: Call): Promise<unknown> {
    const { claimlink, storage } = process;
    const link = 'link' in step ? (links.get(step.link) as KnownLink) : undefined;
    switch (step.kind) {
      case 'create': {
        const { client, user } = step;
        const body = JSON.stringify(linkRequest(client, user, step.link));
        const { key } = keyOf(client, step.key);
        const response = await send(claimlink, 'POST', `/${client}/link`, key, body, step.link);
        const { data: url } = JSON.parse(response.body) as { data: string };
        const [, accessCode = '', token = ''] = /verify\/([^?]+)\?token=(.+)$/.exec(url) ?? [];
        const linkId = createHash('sha256').update(accessCode).digest('hex');
        const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        const former = links.get(step.link);
        // A link that was created again after its deletion has another name in its sessions.
        const name = former === undefined ? step.link : `${former.name}'`;
        if (former?.linkId !== linkId)
          links.set(step.link, { client, user, name, accessCode, token, linkId });
        return { linkId, token, expiresAt: payload.exp * 1000 } satisfies CreateResult;
      }
      case 'open':
        if (link) await claimlink.openLink(link.accessCode, link.token, answerOf(link, step));
        return null;
      case 'unlock':
        return link && claimlink.unlockLink(link.client, link.linkId);
      case 'submit': {
        if (link === undefined) return null;
        const { accessCode, token } = link;
        const answer = answerOf(link, step);
        const result = await claimlink.submitClaim(accessCode, token, claimOf(link), answer);
        const { reference, repeated } = result;
        link.reference = reference;
        return { reference, repeated } satisfies SubmitResult;
      }
      case 'forge': {
        const { token } = links.get(step.tokenOf) as KnownLink;
        if (link) await claimlink.submitClaim(link.accessCode, token, claimOf(link));
        return null;
      }
      case 'revoke':
        return link && claimlink.revokeLink(link.client, link.linkId);
      case 'start':
      case 'renew':
        return link && sendForm(claimlink, link, { action: step.kind });
      case 'decline':
        return link && sendForm(claimlink, link, { action: 'decline', why: 'other' });
      case 'expire':
        return link && (mock?.expireLink(link.client, link.linkId) ?? null);
      case 'revokeAsOther':
        return link && claimlink.revokeLink(otherClient(link.client), link.linkId);
      case 'update': {
        if (link === undefined || !('reference' in call)) return null;
        const { status } = step;
        return (await claimlink.updateSession(link.client, call.reference, { status }))?.status ?? null;
      }
      case 'list':
        return readListing(claimlink, step.client, step.user, keyOf(step.owner, step.key).key);
      case 'follow':
        return follow(claimlink, step.client, readerOf(step.client, step.reader));
      case 'deleteUser':
        return claimlink.deleteUser(step.client, step.user);
      case 'revokeAll':
        return claimlink.revokeLinks(step.client, { userId: step.user });
      case 'deliver':
        return claimlink.deliverPending();
      case 'sweep':
        return (mock ? storage : claimlink).deleteExpiredLinks(new Date('before' in call ? call.before : 0));
      case 'reduceLinks':
        return storage.reduceExpiredLinks(new Date('before' in call ? call.before : 0));
      case 'purge':
        return claimlink.deleteSessions(new Date('before' in call ? call.before : 0));
      case 'revokeKey':
        return claimlink.revokeApiKey(keyOf(step.client, step.key).id);
      case 'rotateKey': {
        const oldKeyEndsAt = new Date(clockOf(process));
        const rotated = await claimlink.rotateApiKey(keyOf(step.client, step.key).id, { oldKeyEndsAt });
        if (rotated === undefined) return null;
        keys.get(step.client)?.push({ id: rotated.apiKey.id, key: rotated.key });
        return { oldKeyEnds: rotated.oldKeyEndsAt !== undefined };
      }
      default:
        return null;
    }
  }

  function readerOf(client: string, reader: string) {
    const name = `${client}/${reader}`;
    const state = readers.get(name) ?? { isBusy: false, seen: [] };
    readers.set(name, state);
    return state;
  }

  /** Crashes, clocks and rings are of the world, and take no time. */
  function changeWorld({ step, process: index }: Action): void {
    const process = processes[index] as Process;
    switch (step.kind) {
      case 'crash':
        crash(process, step.restartMs);
        return;
      case 'jump':
        clocks[index] = (clocks[index] ?? 0) + step.byMs;
        setClock(process, clocks[index] ?? 0);
        clocksAgree = false;
        record(() => `the clock of ${process.name} jumps by ${step.byMs} ms`);
        return;
      case 'rotateSigningKeys':
        if (ring === SIGNERS.length - 1) return;
        rotateSigningKeys(ring + 1);
        return;
    }
  }

  function rotateSigningKeys(next: number): void {
    ring = next;
    record(() => `signing keys: ring ${next}`);
    for (const old of processes) if (!old.isDead) crash(old, 1);
  }

  function setClock(process: Process, clockMs: number): void {
    for (const { clock } of process.open) clock.to = Math.max(clock.to, clockOf(process));
    process.clockMs = clockMs;
    for (const { clock } of process.open) {
      clock.from = Math.min(clock.from, clockOf(process));
      clock.to = Math.max(clock.to, clockOf(process));
    }
  }

  function crash(process: Process, restartMs: number): void {
    if (process.isDead) return;
    process.isDead = true;
    crashes++;
    record(() => `${process.name} crashes`);
    time.schedule(
      restartMs,
      () => {
        mock?.restart();
        startProcess(process.index);
      },
      undefined,
    );
    for (const reader of readers.values()) if (readersOf(process).has(reader)) reader.isBusy = false;
  }

  /** Returns the readers that wait for this process. */
  function readersOf({ open }: Process) {
    const calls = [...open].map(({ call }) => call);
    return new Set(
      calls.flatMap((call) => (call.kind === 'follow' ? [readerOf(call.client, call.reader)] : [])),
    );
  }

  /** Reads the state of the mock. */
  function readMock(): History['final'] {
    const listings: Record<string, SeenSession[]> = {};
    for (const client of CLIENTS)
      for (const user of USERS)
        listings[`${client}/${user}`] = mock?.sessions(client, user).map(toSeen) ?? [];
    const finalLinks = [...links.values()].flatMap(({ client, user, linkId }): FinalLink[] => {
      const stored = mock?.storage.findLink({ clientId: client, accessCodeHash: linkId }) as
        | LinkWithClient
        | undefined;
      if (stored === undefined) return [];
      const { link, session } = stored;
      const state = linkState(link, new Date(clockOf(processes[0] as Process)));
      const hasPrefill = link.config.policy !== undefined;
      const common = {
        client,
        user,
        linkId,
        state,
        hasPrefill,
        expiresAt: link.expiresAt.getTime(),
        moments: [],
      };
      return [{ ...common, ...(session && { reference: session.reference }) }];
    });
    return { listings, clientSessions: {}, readers: {}, links: finalLinks, undelivered: 0 };
  }

  /** Delivers what is left and reads everything, without faults. */
  async function finish(): Promise<History['final']> {
    const context: ActionContext = {
      process: processes[0] as Process,
      hasFaults: false,
      random: createRandom(plan.seed, 2),
      label: 'end:',
    };
    for (const process of processes) setClock(process, 0);
    const { claimlink } = context.process;
    return new Promise((resolve, reject) => {
      const deliver = async (rounds: number): Promise<void> => {
        memory.retryEvents({ at: new Date(clockOf(context.process)) });
        const { pending } = await claimlink.deliverPending();
        if (pending > 0 && rounds > 0) time.schedule(HOUR, () => deliver(rounds - 1).catch(reject), context);
        else resolve(await readAll(claimlink, pending));
      };
      time.schedule(0, () => deliver(30).catch(reject), context);
    });
  }

  async function readAll(claimlink: Claimlink, undelivered: number): Promise<History['final']> {
    const listings: Record<string, SeenSession[]> = {};
    const clientSessions: Record<string, SeenSession[]> = {};
    const finalLinks: FinalLink[] = [];
    for (const client of CLIENTS) {
      for (const user of USERS) {
        const { sessions, links: exported } = await claimlink.exportUser(client, user);
        listings[`${client}/${user}`] = sessions.map(toSeen);
        for (const { linkId, state, reference, config, expiresAt } of exported) {
          const hasPrefill = config.policy !== undefined || config.extra !== undefined;
          finalLinks.push({
            ...{ client, user, linkId, state, hasPrefill, expiresAt: expiresAt.getTime() },
            moments: (await memory.listMoments({ clientId: client, accessCodeHash: linkId })) ?? [],
            ...(reference && { reference }),
          });
        }
      }
      clientSessions[client] = [];
      await follow(claimlink, client, { isBusy: false, seen: clientSessions[client] });
      for (const [name, reader] of readers)
        if (name.startsWith(`${client}/`)) await follow(claimlink, client, reader);
    }
    const readings = [...readers].map(([name, reader]) => [name, reader.seen]);
    return {
      listings,
      clientSessions,
      readers: Object.fromEntries(readings),
      links: finalLinks,
      undelivered,
    };
  }

  for (const { clientId, id, hash } of FIRST_KEYS) {
    memory.insertClient({ clientId, settings });
    memory.insertApiKey({ id, clientId, hash, createdAt: new Date(START) });
  }
  for (let index = 0; index < plan.processes; index++) startProcess(index);
  for (const action of plan.actions) {
    time.schedule(action.atMs, () => {
      changeWorld(action);
      const process = processes[action.process] as Process;
      if (!process.isDead) start(action, process);
    });
  }
  await time.run();
  for (const reader of readers.values()) reader.isBusy = false;
  const common = {
    operations,
    attempts,
    told,
    chosen: plan.events ?? [],
    crashes,
    clocksAgree,
    hasRotated: ring > 0,
    cacheSeconds: CACHE_SECONDS,
    log,
  };
  if (plan.isMock) return { ...common, delivers: false, final: readMock() };
  const ending = finish();
  await time.run();
  return { ...common, delivers: true, final: await ending };
}

/** Returns a call or its result for people. */
function text(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => {
    if (name === 'kind') return member;
    if (name === 'token') return `${name} ...${member.slice(-8)}`;
    if (name === 'expiresAt' || name === 'before') return `${name} ${seconds(member - START).trim()}`;
    return `${name} ${name === 'linkId' ? member.slice(0, 8) : member}`;
  });
  return members.join(', ');
}

/** An error response of the API. The message is its code. */
class Rejected extends Error {}

async function send(
  claimlink: Claimlink,
  method: string,
  url: string,
  key: string,
  body?: string,
  idempotencyKey?: string,
) {
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  };
  const response = await claimlink.handle({ method, url, headers, body });
  if (response.status !== 200) throw new Rejected((JSON.parse(response.body) as { code: string }).code);
  return response;
}

/** Sends a form of the page of a link. Returns true if it was accepted. */
async function sendForm(
  claimlink: Claimlink,
  { accessCode, token }: KnownLink,
  fields: Readonly<Record<string, string>>,
): Promise<true> {
  const response = await claimlink.handle({
    method: 'POST',
    url: `/verify/${accessCode}?token=${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: String(new URLSearchParams(fields)),
  });
  if (response.status !== 204) throw new Rejected((JSON.parse(response.body) as { code: string }).code);
  return true;
}

/** Reads all pages of a listing over HTTP. */
async function readListing(claimlink: Claimlink, client: string, user: string, key: string) {
  const sessions: SeenSession[] = [];
  let url: string | undefined = `/${client}/sessions/${user}`;
  while (url !== undefined) {
    const { body, headers } = await send(claimlink, 'GET', url, key);
    sessions.push(...(JSON.parse(body) as Session[]).map(toSeen));
    url = /^<(.+)>/.exec(headers['link'] ?? '')?.[1]?.slice(PUBLIC_URL.length);
  }
  return sessions;
}

/** Reads the sessions of a client from the cursor of a reader on. */
async function follow(
  claimlink: Claimlink,
  client: string,
  reader: { cursor?: string; isBusy: boolean; seen: SeenSession[] },
): Promise<SeenSession[]> {
  const sessions: SeenSession[] = [];
  reader.isBusy = true;
  try {
    for (let hasMore = true; hasMore; ) {
      const { cursor } = reader;
      const page = await claimlink.listClientSessions(client, cursor === undefined ? {} : { cursor });
      if (page.nextCursor !== undefined) reader.cursor = page.nextCursor;
      const read = page.sessions.map(toSeen);
      reader.seen.push(...read);
      sessions.push(...read);
      hasMore = page.hasMore;
    }
  } finally {
    reader.isBusy = false;
  }
  return sessions;
}

function toSeen(session: Session): SeenSession {
  return { reference: session.reference, status: session.status, label: labelOf(session) };
}

/** The number of the policy names the link, as the claim has it. */
function labelOf({ selectedPolicy }: Session): string {
  return selectedPolicy.number;
}

function linkRequest(client: string, user: string, link: string) {
  return {
    callbackUrl: 'https://app.example.com/done',
    config: {
      contact: { email: 'help@example.com', phone: '+44 20 7946 0000' },
      currentUserId: user,
      policy: { number: `${client}/${user}/${link}` },
    },
  };
}

function claimOf({ client, user, name }: KnownLink) {
  return { policy: { ...claim().policy, number: `${client}/${user}/${name}` } };
}

/** The number of the policy is the label of the link. */
function answerOf({ client, user }: KnownLink, step: { link: string; answer?: Answer }) {
  const { link, answer = 'none' } = step;
  if (answer === 'none') return {};
  return { recipientAnswer: answer === 'right' ? `${client}/${user}/${link}` : 'another number' };
}

function otherClient(client: string): string {
  return CLIENTS.find((other) => other !== client) ?? client;
}
