// A mock without HTTP: composes its clients, clock, faults, links, sessions, snapshots, request log and webhook.
import { randomBytes } from 'node:crypto';
import { isError } from '../../lib/core/plain-data.js';
import {
  type ClaimlinkEvent,
  createLinkSigner,
  createStandaloneWidget,
  type FailedRequest,
  isClaimlinkError,
} from '../../lib/index.js';
import { controlError, persistError } from '../control/errors.js';
import type { MockMethods } from '../control/methods.js';
import type { ActiveFault } from '../control/types.js';
import { createSeeder } from '../seed/seed.js';
import { createController } from './abort.js';
import { createClients } from './clients.js';
import { createClock } from './clock.js';
import { createDeliveries } from './deliveries.js';
import { createActivation, createFaults } from './faults.js';
import { createHold, createPhotoUpload, createUpload } from './holds.js';
import { createLinks } from './links.js';
import { createMockState } from './mock-state.js';
import type { ResolvedMockOptions } from './options.js';
import type { PersistFile } from './persist-file.js';
import { createPhotoBytes } from './photo-bytes.js';
import { createReports } from './reports.js';
import { createSessions } from './sessions.js';
import { createSnapshots, readState, type SavedState, stringifyState } from './snapshots.js';
import { createWebhook, type WebhookAttempt, WebhookError } from './webhook.js';

const SECRET_BYTES = 32;

/** What a mock calls. */
export interface MockListeners {
  onError?(error: unknown, request?: FailedRequest): void;
  /** Called if the mock waits for the lock of its persist file, with a text for people. */
  onWait?(text: string): void;
  /** Called if the persist file names photos, whose bytes it does not have, with a text for people. */
  onMissingPhotos?(text: string): void;
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
    const photos = missingPhotos(mock, saved);
    if (photos > 0)
      listeners.onMissingPhotos?.(
        `The mock starts without the bytes of ${photos} ${photos === 1 ? 'photo' : 'photos'}: ${options.persistFile} does not have them. Links and claims that name photos stay.`,
      );
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
  const signer = createSigner(options, publicUrl, secret);
  const hold = createHold();
  const upload = createUpload();
  const photoUpload = createPhotoUpload();
  const closing = createController();

  const changed = () => file?.changed();
  const reports = createReports(changed);
  const { emit, onChange, requests } = reports;
  const activate = createActivation(faultsOf(saved));
  const { webhook: url, webhookSecret = '', onSubmit, onEvent } = options;
  const serviceOptions = createServiceOptions(options, onError);
  /** Handles an event of the services once; with a webhook, until its receiver accepts it. */
  async function handleEvent(event: ClaimlinkEvent, epoch: AbortSignal): Promise<void> {
    reports.events.add(event);
    if (url !== undefined) await sendWebhook(event, epoch);
    else if (onEvent) await onEvent(event);
    else if (event.type === 'claim.submitted') await onSubmit?.(event);
  }
  const clients = createClients(
    {
      options,
      publicUrl,
      seeder,
      signer,
      activate,
      systemNow,
      emit,
      changed,
      handleEvent,
      photoBytes: createPhotoBytes(),
      serviceOptions,
    },
    {
      onChange,
      onRemove(clientId) {
        reports.clear({ clientId });
        snapshots.forget(clientId);
      },
    },
  );
  const { select, find, findByToken, need, serviceWithoutClient } = clients;
  const hasPending = url !== undefined || serviceOptions.events.some((type) => type !== 'claim.submitted');
  const deliveries = createDeliveries(hasPending, clients, closing.signal, onError);
  const faults = createFaults(seed, clients, activate, onChange);
  const clock = createClock(clients, systemNow, (selection) => {
    for (const client of select(selection)) client.applyDue();
    deliveries.deliverPending(selection);
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

  if (saved !== undefined) clients.resume(saved);
  deliveries.start();

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
    deliveries.stop();
    reports.bus.close();
    closing.abort(controlError('mock_closed'));
  }

  const methods = {
    ...clients.methods,
    ...clock,
    ...faults.methods,
    ...createLinks(clients, seeder),
    ...requests.methods,
    ...reports.events.methods,
    ...createSessions(clients, seeder),
    ...snapshots.methods,
    ...createMockState({ publicUrl, seed, refDate }, { clients, clock, reports }),
  } satisfies MockMethods;

  return {
    options,
    publicUrl,
    methods,
    events: reports.bus,
    serviceWithoutClient,
    epochOf: clients.epochOf,
    find,
    findByToken,
    need,
    decideFault: faults.decideFault,
    hold,
    upload,
    photoUpload,
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

/** Creates the signer of all clients. */
const createSigner = ({ linkFormat }: ResolvedMockOptions, publicUrl: string, secret: Uint8Array) =>
  createLinkSigner({
    keys: [{ kid: 'mock', algorithm: 'HS256', secret }],
    issuer: publicUrl,
    ...(linkFormat && { format: linkFormat }),
  });

/** Returns the options of the service of each client. */
function createServiceOptions(
  { webhook, linkTtlSeconds, stepKeys, events = ['claim.submitted'] }: ResolvedMockOptions,
  onError: NonNullable<MockListeners['onError']>,
) {
  return {
    widget: createStandaloneWidget(),
    onError(error: unknown, request?: FailedRequest) {
      if (!(error instanceof WebhookError)) onError(error, request);
    },
    ...(linkTtlSeconds !== undefined && { linkTtlSeconds }),
    ...(stepKeys && { stepKeys }),
    events,
    // Without a webhook, a mock handles a submission at most once.
    recordSubmissions: webhook !== undefined && events.includes('claim.submitted'),
  };
}

/** Returns the number of photos of a saved state whose bytes are not there. */
function missingPhotos(mock: Pick<Mock, 'find'>, saved: SavedState | undefined): number {
  const missing = (saved?.current.clients ?? []).flatMap(({ client: { clientId }, photos = {} }) =>
    Object.keys(photos).flatMap((linkId) =>
      (mock.find(clientId)?.photosOf(linkId) ?? []).filter(({ isMissing }) => isMissing),
    ),
  );
  return missing.length;
}

/** Returns every fault of a saved state and of its snapshots. */
function faultsOf(saved: SavedState | undefined): readonly ActiveFault[] {
  if (saved === undefined) return [];
  return [saved.current, ...saved.snapshots.map(({ content }) => content)].flatMap(({ clients, defaults }) =>
    [...clients, ...(defaults ? [defaults] : [])].flatMap(({ faults }) => faults),
  );
}
