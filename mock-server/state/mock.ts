// A mock without HTTP: composes its clients, clock, faults, links, sessions, snapshots, request log and webhook.
import { randomBytes } from 'node:crypto';
import { setInterval } from 'node:timers';
import { isError } from '../../lib/core/plain-data.js';
import {
  type ClaimlinkEvent,
  createLinkSigner,
  createStandaloneWidget,
  type FailedRequest,
  isClaimlinkError,
} from '../../lib/index.js';
import { controlError, invalidValue, persistError } from '../control/errors.js';
import type { MockMethods } from '../control/methods.js';
import type { Scenario } from '../control/scenario.js';
import type { ActiveFault, ClientSelection, MockEvent, MockStateReport } from '../control/types.js';
import { checkScenario } from '../scenario/scenario-check.js';
import { createSeeder } from '../seed/seed.js';
import { createController } from './abort.js';
import { createClients } from './clients.js';
import { createClock } from './clock.js';
import { createEventBus, type OnChange } from './event-bus.js';
import { createEventLog } from './events.js';
import { toScenario, toScenarioClient } from './exported.js';
import { createActivation, createFaults } from './faults.js';
import { createHold, createUpload } from './holds.js';
import { createLinks } from './links.js';
import type { ResolvedMockOptions } from './options.js';
import type { PersistFile } from './persist-file.js';
import { createRequestLog } from './requests.js';
import { createSessions } from './sessions.js';
import { createSnapshots, readState, type SavedState, stringifyState } from './snapshots.js';
import { createWebhook, type WebhookAttempt, WebhookError } from './webhook.js';

const SECRET_BYTES = 32;
/** How often the mock looks for submissions that are due for the webhook. */
const DELIVERY_INTERVAL_MS = 1000;

/** What a mock calls. */
export interface MockListeners {
  onError?(error: unknown, request?: FailedRequest): void;
  /** Called if the mock waits for the lock of its persist file, with a text for people. */
  onWait?(text: string): void;
  /** Called after each attempt to send the webhook. */
  onAttempt?(attempt: WebhookAttempt): void;
}

/** A running mock without HTTP. Methods throw ClaimlinkErrors: `client_not_found` for an unknown client. */
export type Mock = ReturnType<typeof createMock>;

/**
 * Opens a mock. With a persist file it continues where the last mock ended.
 * @param publicUrl start of links, without a trailing slash
 * @throws `options_invalid` for an invalid public URL, and for a persist file that is in use, damaged, or of another seed
 */
export async function openMock(
  options: ResolvedMockOptions,
  publicUrl: string,
  listeners: MockListeners = {},
): Promise<Mock> {
  if (options.persistFile === undefined) return createMock(options, publicUrl, listeners);
  const { openPersistFile } = await import('./persist-file.js');
  const file = await openPersistFile(options.persistFile, listeners);
  try {
    const saved = file.text === undefined ? undefined : readState(options, options.persistFile, file.text);
    const mock = createMock(options, publicUrl, listeners, file, saved);
    // The first write shows whether the file can be written, and saves the secret of the links.
    file.changed();
    await mock.saved();
    return mock;
  } catch (error) {
    await file.release();
    if (isClaimlinkError(error)) throw error;
    throw persistError(isError(error) ? error.message : String(error), error);
  }
}

function createMock(
  options: ResolvedMockOptions,
  publicUrl: string,
  { onError = () => {}, onAttempt = () => {} }: MockListeners,
  file?: PersistFile,
  saved?: SavedState,
) {
  const { seed, refDate, sessionCount, now: systemNow } = options;
  const seeder = createSeeder({
    seed,
    refDate,
    ...(sessionCount !== undefined && { sessions: sessionCount }),
  });
  const secret = saved === undefined ? randomBytes(SECRET_BYTES) : Buffer.from(saved.secret, 'base64url');
  const signer = createLinkSigner({
    keys: [{ kid: 'mock', algorithm: 'HS256', secret }],
    issuer: publicUrl,
    ...(options.linkFormat && { format: options.linkFormat }),
  });
  const events = createEventBus();
  const hold = createHold();
  const upload = createUpload();
  const closing = createController();

  const changed = () => file?.changed();
  function emit(event: MockEvent): void {
    changed();
    events.emit(event);
  }
  const onChange: OnChange = (clientId, part) => emit({ type: 'changed', clientId, part });

  const requests = createRequestLog({
    onAdd: (request) => events.emit({ type: 'request', clientId: request.clientId, request }),
    onClear: (clientId) => onChange(clientId, 'requests'),
  });
  const { clearRequests, countRequests } = requests.methods;
  const activate = createActivation(faultsOf(saved));
  const { webhook: url, webhookSecret = '', linkTtlSeconds, stepKeys, onSubmit, onEvent } = options;
  const chosen = options.events ?? (['claim.submitted'] as const);
  const eventLog = createEventLog((event) => events.emit({ type: 'event', clientId: event.clientId, event }));
  /** Handles an event of the services once; with a webhook, until its receiver accepts it. */
  async function handleEvent(event: ClaimlinkEvent, epoch: AbortSignal): Promise<void> {
    eventLog.add(event);
    if (url !== undefined) await sendWebhook(event, epoch);
    else if (onEvent) await onEvent(event);
    else if (event.type === 'claim.submitted') await onSubmit?.(event);
  }
  const serviceOptions = {
    widget: createStandaloneWidget(),
    onError(error: unknown, request?: FailedRequest) {
      if (!(error instanceof WebhookError)) onError(error, request);
    },
    ...(linkTtlSeconds !== undefined && { linkTtlSeconds }),
    ...(stepKeys && { stepKeys }),
    events: chosen,
    // Without a webhook, a mock handles a submission at most once.
    recordSubmissions: url !== undefined && chosen.includes('claim.submitted'),
  };
  const clients = createClients(
    { options, publicUrl, seeder, signer, activate, systemNow, emit, changed, handleEvent, serviceOptions },
    {
      onChange,
      onRemove(clientId) {
        clearRequests({ clientId });
        eventLog.clear({ clientId });
        snapshots.forget(clientId);
      },
    },
  );
  const { defaults, select, find, findByToken, need, serviceWithoutClient } = clients;
  const faults = createFaults(seed, clients, activate, onChange);
  const clock = createClock(clients, systemNow, (selection) => {
    for (const client of select(selection)) client.applyDue();
    deliverPending(selection);
    onChange(selection.clientId ?? null, 'clock');
  });
  const snapshots = createSnapshots(saved?.snapshots ?? [], {
    select,
    take: (selection) => Buffer.concat(clients.take(selection)),
    restore: clients.restore,
    now: (selection) => clock.clock(selection).now,
    onChange,
  });
  const sendWebhook = createWebhook(
    { url: url ?? '', secret: webhookSecret },
    {
      clock: clock.clock,
      decideFault: faults.decideFault,
      hold,
      logRequest: requests.add,
      closing: closing.signal,
      onAttempt,
    },
  );

  /** Whether events wait for the clock of a client: those of a webhook, and those of links that expire. */
  const hasPending = url !== undefined || chosen.some((type) => type !== 'claim.submitted');

  /** Begins to handle the events that are due. */
  function deliverPending(selection: ClientSelection = {}): void {
    if (!hasPending || closing.signal.aborted) return;
    for (const client of select(selection)) client.deliverPending().catch(onError);
  }

  if (saved !== undefined) clients.resume(saved);
  const deliveries = hasPending ? setInterval(deliverPending, DELIVERY_INTERVAL_MS).unref() : undefined;

  const produce = () =>
    stringifyState({
      seed: String(seed),
      refDate,
      secret: secret.toString('base64url'),
      current: clients.take({}),
      snapshots: snapshots.all(),
    });
  /**
   * Resolves when every change up to now is on disk; immediately without a persist file. Rejects if the write failed.
   * Await it before the response to every request that may have changed the state, then what is acknowledged is saved.
   */
  const save = async (): Promise<void> => file?.save(produce);

  /** Ends subscriptions, waits for requests and attempts to send the webhook. May be called twice. */
  function stop(): void {
    clearInterval(deliveries);
    events.close();
    closing.abort(controlError('mock_closed'));
  }

  const methods = {
    ...clients.methods,
    ...clock,
    ...faults.methods,
    ...createLinks(clients, seeder),
    ...requests.methods,
    ...eventLog.methods,
    ...createSessions(clients, seeder),
    ...snapshots.methods,

    state: (selection: ClientSelection = {}): MockStateReport => ({
      publicUrl,
      seed,
      refDate,
      clock: clock.clock(selection),
      clients: select(selection).map((client) => ({
        ...client.client,
        clock: clock.clock(client),
        links: client.countLinks(),
        requests: countRequests({ clientId: client.clientId }),
      })),
    }),
    scenario: (selection: ClientSelection = {}): Scenario =>
      toScenario(
        select(selection).map((client) => toScenarioClient(client.save(), client.userIds, client.now())),
        selection.clientId === undefined ? defaults.faults : [],
      ),
    /** Changes nothing if it throws. @throws `request_invalid` */
    setScenario({ scenario }: { scenario: Scenario }): void {
      const problems = checkScenario(scenario);
      if (problems.length > 0) throw invalidValue('The scenario', problems);
      clients.start(scenario);
      clearRequests();
      eventLog.clear();
      onChange(null, 'everything');
    },
    reset(selection: ClientSelection = {}): void {
      clients.reset(selection);
      clearRequests(selection);
      eventLog.clear(selection);
      onChange(selection.clientId ?? null, 'everything');
    },
  } satisfies MockMethods;

  return {
    options,
    publicUrl,
    methods,
    events,
    serviceWithoutClient,
    epochOf: clients.epochOf,
    find,
    findByToken,
    need,
    decideFault: faults.decideFault,
    hold,
    upload,
    logRequest: requests.add,
    saved: save,
    reportError: (error: unknown) => onError(error),
    /** Aborted when the mock closes. */
    closing: closing.signal as AbortSignal,
    stop,
    /** Stops the mock, writes what is not saved yet, and releases the persist file. */
    async close(): Promise<void> {
      stop();
      try {
        await Promise.all(select({}).map((client) => client.idle()));
        await save();
      } finally {
        await file?.release();
      }
    },
  };
}

/** Returns every fault of a saved state and of its snapshots. */
function faultsOf(saved: SavedState | undefined): readonly ActiveFault[] {
  if (saved === undefined) return [];
  return [saved.current, ...saved.snapshots.map(({ content }) => content)].flatMap(({ clients, defaults }) =>
    [...clients, ...(defaults ? [defaults] : [])].flatMap(({ faults }) => faults),
  );
}
