// One client of a mock: a claimlink service over seeded memory storage, with its own clock, faults and settings.
import { composeClaimlink } from '../../lib/claimlink.js';
import { changedClient, namedChange } from '../../lib/core/client-change.js';
import { photosOf } from '../../lib/core/photo-settings.js';
import {
  type ClaimlinkEvent,
  type ClaimlinkOptions,
  type EventChoice,
  hashApiKey,
  isSameAnswer,
  type LinkSigner,
} from '../../lib/index.js';
import { controlError, invalidValue } from '../control/errors.js';
import type { ClientChange, MockClient, MockClientOptions, MockEvent } from '../control/types.js';
import { settingsProblems } from '../scenario/scenario-check.js';
import type { Seeder } from '../seed/seed.js';
import { createController, untilAborted } from './abort.js';
import { createClientLinks } from './client-links.js';
import { type ClientState, createClientRecords } from './client-records.js';
import { createClientSeed } from './client-seed.js';
import { createClientSessions } from './client-sessions.js';
import { createClientStorage } from './client-storage.js';
import { sizeOfValue } from './json-pieces.js';
import type { createPhotoBytes } from './photo-bytes.js';
import { createClientPhotos } from './photos.js';
import { createSpace } from './space.js';

export interface InitialClient {
  client: MockClientOptions;
  userIds: readonly string[];
  /** The photos of its links, as data URLs. */
  photos?: readonly string[];
  /** Creates the state anew in each call, because its moments are relative to the clock. */
  createInitial: () => ClientState;
}

export type MockService = ReturnType<typeof composeClaimlink>;

export interface SharedParts {
  publicUrl: string;
  seeder: Seeder;
  signer: LinkSigner;
  systemNow: () => Date;
  emit(event: MockEvent): void;
  /** Marks the persist file as out of date, without an event. */
  changed(): void;
  /** @param epoch aborted when the state that has the event is replaced */
  handleEvent(event: ClaimlinkEvent, epoch: AbortSignal): Promise<void>;
  /** Returns the bytes of the photos of a client. */
  photoBytes: ReturnType<typeof createPhotoBytes>;
  serviceOptions: Omit<ClaimlinkOptions, 'storage' | 'signer' | 'publicUrl' | 'onEvent'>;
  /** Default: 10_000 seeded sessions in memory. */
  maxSeededSessions?: number;
}

const EXPIRY_NOTICE_SECONDS = 14_400;
const MAX_SEEDED_SESSIONS = 10_000;

export type MockClientState = ReturnType<typeof createMockClient>;

export function createMockClient(
  { client, userIds, photos: initialPhotos = [], createInitial }: InitialClient,
  isConfigured: boolean,
  parts: SharedParts,
) {
  const {
    publicUrl,
    seeder,
    systemNow,
    photoBytes,
    serviceOptions,
    maxSeededSessions = MAX_SEEDED_SESSIONS,
  } = parts;
  const { clientId, apiKey, controlToken } = client;
  const listedUsers = Object.freeze(userIds.slice(0, 100));
  const { events: chosen = [] } = serviceOptions;
  const choice: EventChoice = {
    types: chosen.filter((type) => type !== 'claim.submitted'),
    expiryNoticeSeconds: EXPIRY_NOTICE_SECONDS,
  };
  const records = createClientRecords(client, isConfigured, choice, systemNow, parts);
  const { memory, now } = records;
  const space = createSpace(clientId, records.size, systemNow);
  const seed = createClientSeed(records, seeder, maxSeededSessions);
  const links = createClientLinks(records, space);
  const storage = createClientStorage(records, seed, links, space);
  const signer = links.rememberingSigner(parts.signer, publicUrl);
  const createPhotos = () =>
    createClientPhotos(records, photoBytes(clientId, records.photoHashes), space, (linkId) => {
      records.changed();
      links.emitLink(linkId);
    });
  /** Aborted when the state is replaced: that ends what began before. */
  let epoch = createController();
  /** The photos of the epoch. */
  let photos = createPhotos();
  /** The service of the epoch. */
  let service: MockService | undefined;

  function replace(state: ClientState): void {
    records.restore(state);
    space.measure();
    endEpoch();
    epoch = createController();
    photos = createPhotos();
    service = undefined;
  }

  /** Ends the requests and deliveries of the state: their storage calls throw, and what waits ends. */
  function endEpoch(): void {
    epoch.abort(controlError('state_replaced'));
    photos.end();
  }

  const takesPhotos = () => photosOf(records.settings.settings).need !== 'hidden';

  /** What the service has for a client that takes photos. It records submissions, which remove the photos that they do not name. */
  const photoOptions = (signal: AbortSignal) => ({
    photos: { store: untilAborted(signal, photos.store) },
    recordSubmissions: true,
  });

  /** Returns the service at the time of this client. Creates it when it is first needed in an epoch. */
  function getService(): MockService {
    const { signal } = epoch;
    service ??= composeClaimlink({
      publicUrl,
      allowLoopbackCallbacks: true,
      now,
      checkRecipient({ link: { linkId, settings }, answer }) {
        const { recipientCheck } = settings ?? {};
        const question = recipientCheck && 'id' in recipientCheck ? recipientCheck : undefined;
        return isSameAnswer(links.answerOf(linkId, question), answer);
      },
      ...serviceOptions,
      ...(takesPhotos() && photoOptions(signal)),
      storage: untilAborted(signal, storage),
      signer: untilAborted(signal, signer),
      async onEvent(event) {
        signal.throwIfAborted();
        await parts.handleEvent(event, signal);
      },
      onError(error, ...context) {
        if (!signal.aborted) serviceOptions.onError?.(error, ...context);
      },
    });
    return service;
  }

  function start(): void {
    replace(createInitial());
    photos.seed(initialPhotos);
  }

  start();

  return {
    ...links.methods,
    ...createClientSessions(records, seed, space, listedUsers),
    clientId,
    /** All users to start with. */
    userIds,
    /** SHA-256 of the control token, if it has one. */
    tokenHash: controlToken && hashApiKey(controlToken),
    now,
    storage,
    save: records.save,
    toJson: records.toJson,
    restore: replace,
    reset: start,
    /** Aborted when the state of this moment is replaced. */
    get epoch(): AbortSignal {
      return epoch.signal;
    },
    photosOf: (linkId: string) => photos.photosOf(linkId),
    /** Returns a photo of a link, if its bytes are there. */
    readPhoto: (linkId: string, photoId: string) => photos.store.get({ clientId, linkId, photoId }),
    endEpoch,
    clockAndFaults: records.clockAndFaults,
    applyDue: records.applyDue,
    get service(): MockService {
      return getService();
    },
    /** Handles the events that are due by the clock of this client. */
    async deliverPending(): Promise<void> {
      if (choice.types.length > 0 || memory.countEvents({ limit: 1 }).pending > 0)
        await getService().claimlink.deliverPending();
    },
    /** Resolves when no delivery runs. */
    idle: async (): Promise<void> => service?.claimlink.idle(),
    get client(): MockClient {
      return { clientId, apiKey, ...records.settings, userIds: listedUsers, isConfigured };
    },
    /** Changes the settings. @throws `request_invalid`; `storage_unavailable` for too much */
    change(change: ClientChange) {
      const { clientId: _, ...changed } = changedClient(
        { clientId, ...records.settings },
        namedChange({ clientId, ...change }),
      );
      const problems = settingsProblems({ clientId, ...changed });
      if (problems.length > 0) throw invalidValue('The client', problems);
      space.reserve(sizeOfValue(changed) - sizeOfValue(records.data.settings ?? {}));
      const tookPhotos = takesPhotos();
      records.data.settings = changed;
      if (takesPhotos() !== tookPhotos) service = undefined;
      storage.updateClient({ clientId, ...changed });
    },
  };
}
