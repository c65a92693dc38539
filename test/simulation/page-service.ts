// The service of one link: the real core with the built-in pages, over an unreliable memory storage.
import { createClaimlink } from '../../lib/claimlink.js';
import { createLinkSigner } from '../../lib/core/link-signer.js';
import type { LinkSubmission, SubmitOutcome } from '../../lib/core/storage.js';
import type { CreatedLink, Session } from '../../lib/core/types.js';
import type { StandaloneWidget, WidgetPage } from '../../lib/core/widget.js';
import type { CoreRequest, CoreResponse } from '../../lib/http/messages.js';
import { createMemoryStorage } from '../../lib/storage/memory.js';
import { createStandaloneWidget } from '../../lib/widget/index.js';
import { LINK_SECONDS, RECEIPT_SECONDS } from './page-plan.js';
import type { RenderedPage } from './page-reading.js';
import { createRandom } from './random.js';
import {
  createUnreliableStorage,
  STORAGE_TIMEOUT_SECONDS,
  type StorageContext,
} from './unreliable-storage.js';
import type { VirtualTime } from './virtual-time.js';

export const PUBLIC_URL = 'https://claims.example.com/base';
const START = Date.parse('2026-03-02T10:00:00.000Z');
const CLIENT = 'acme';

const SIGNER = createLinkSigner({
  keys: [{ kid: 'k1', algorithm: 'HS256', secret: 'k1: a secret of at least 32 bytes' }],
  issuer: PUBLIC_URL,
});

/** The context of a request. */
export interface RequestContext extends StorageContext {
  requestId: number;
  page?: RenderedPage;
}

/** A response of the service. */
export interface ServedResponse {
  response: CoreResponse;
  /** Absent if the widget did not render it. */
  page?: RenderedPage | undefined;
  /** Time of the response. */
  clock: number;
}

export interface PageService {
  link: CreatedLink;
  clock(): number;
  /** Handles a request in its context. */
  handle(request: CoreRequest): Promise<ServedResponse>;
  /** Revokes the link. Returns false if it has ended. */
  revokeLink(): Promise<boolean>;
}

interface PageServiceOptions {
  callbackOnSubmit: boolean;
  keepDraft: 'tab' | 'device';
  time: VirtualTime;
  record: (text: () => string) => void;
  /** Gets the stored session, whose reference is `S-` and the id of the request. */
  onStored: (session: Session) => void;
}

/** Starts a service and creates its link. */
export async function startPageService({
  callbackOnSubmit,
  keepDraft,
  time,
  record,
  onStored,
}: PageServiceOptions): Promise<PageService> {
  const memory = createMemoryStorage();
  const clock = () => START + time.now;
  const contextOf = () => time.context as RequestContext;

  async function submitLink(submission: LinkSubmission): Promise<SubmitOutcome> {
    const result = await memory.submitLink(submission);
    if (result.outcome === 'submitted') onStored(result.session);
    return result;
  }

  const claimlink = createClaimlink({
    storage: createUnreliableStorage({ ...memory, submitLink }, time, record),
    signer: SIGNER,
    publicUrl: PUBLIC_URL,
    linkTtlSeconds: LINK_SECONDS,
    receiptSeconds: RECEIPT_SECONDS,
    storageTimeoutSeconds: STORAGE_TIMEOUT_SECONDS,
    widget: watch(createStandaloneWidget(), (page) => {
      contextOf().page = page;
    }),
    now: () => new Date(clock()),
    newReference: (kind) => (kind === 'cams' ? 'C' : `S-${contextOf().requestId}`),
    onError: () => {},
  });

  await memory.insertClient({ clientId: CLIENT, settings: { keepDraft } });
  const request = {
    callbackUrl: 'https://app.example.com/done?reference={SESSION_REFERENCE}',
    callbackOnSubmit,
    config: {
      contact: { email: 'help@example.com', phone: '+44 20 7946 0000' },
      currentUserId: 'ann',
    },
  };
  const context: RequestContext = {
    process: { isDead: false },
    random: createRandom(1),
    hasFaults: false,
    label: '',
    requestId: 0,
  };
  const created = new Promise<CreatedLink>((resolve, reject) => {
    const create = () => claimlink.createLink(CLIENT, request).then(resolve, reject);
    time.schedule(0, create, context);
  });
  await time.run();
  const link = await created;

  return {
    link,
    clock,
    async handle(coreRequest) {
      const response = await claimlink.handle(coreRequest);
      return { response, page: contextOf().page, clock: clock() };
    },
    revokeLink: () => claimlink.revokeLink(CLIENT, link.linkId),
  };
}

/** Calls `onPage` with each page that a widget renders. */
function watch(widget: StandaloneWidget, onPage: (page: RenderedPage) => void): StandaloneWidget {
  const members = Object.entries(widget).map(([name, member]) => {
    if (!name.startsWith('render')) return [name, member];
    const render = (view: RenderedPage['view']): WidgetPage => {
      onPage({ method: name as RenderedPage['method'], view });
      return member(view);
    };
    return [name, render];
  });
  return Object.fromEntries(members);
}
