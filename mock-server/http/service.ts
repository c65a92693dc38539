// The service of the mock: createClaimlink over the state, with faults and the request log around each request.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { mediaTypeOf } from '../../lib/core/body.js';
import {
  type CoreRequest,
  type CoreResponse,
  createClaimlink,
  createStandaloneWidget,
  type FormView,
  type UnavailableView,
} from '../../lib/index.js';
import type { FaultDecision } from '../state/faults.js';
import type { MockState } from '../state/mock-state.js';
import type { Exchange } from './exchange.js';
import { describeFault, FAULT_HEADER, faultResponse } from './fault-response.js';
import type { Log } from './log.js';
import { readPreferences } from './preferences.js';
import { controlError, problemResponse } from './problem.js';
import { redactBody } from './redaction.js';

export type MockService = ReturnType<typeof createMockService>;

/** Sent instead of nothing: the connection is gone or about to be reset. */
const NO_RESPONSE: CoreResponse = { status: 500, headers: {}, body: '' };

/** Creates the service over a state. @throws `options_invalid` for an invalid public URL */
export function createMockService(state: MockState, log: Log) {
  const current = new AsyncLocalStorage<Exchange>();
  const service = createClaimlink({
    storage: state.storage,
    signer: state.signer,
    publicUrl: state.publicUrl,
    allowLoopbackCallbacks: true,
    widget: createWidget(),
    now: state.now,
    onError: (error, request) => log.error(error, request),
  });

  /** Pages do not contain the code and the problems of an error: the request log gets them from this widget. */
  function createWidget() {
    const widget = createStandaloneWidget();
    const note = (error: Pick<Exchange['entry'], 'code' | 'problems'>) =>
      Object.assign(current.getStore()?.entry ?? {}, error);
    return {
      ...widget,
      renderForm(view: FormView) {
        if (view.problems?.length) note({ code: 'request_invalid', problems: view.problems });
        return widget.renderForm(view);
      },
      renderUnavailable(view: UnavailableView) {
        note({ code: view.code });
        return widget.renderUnavailable(view);
      },
    };
  }

  async function handle(request: CoreRequest): Promise<CoreResponse> {
    const exchange = current.getStore();
    if (exchange === undefined) return service.handle(request);
    const body = captureBody(exchange, request);
    const { entry } = exchange;
    const { route, clientId } = entry;
    if (route === null) return service.handle({ ...request, body });
    const { asked, applied, problems } = readPreferences(request.headers['prefer']);
    if (problems.length > 0) return problemResponse(controlError('preference_invalid', undefined, problems));
    if (route === 'createLink' && clientId !== null && mediaTypeOf(request) === 'application/json')
      entry.userId = userIdFrom(await body().catch(() => undefined));

    const decision = state.decideFault(entry, asked);
    const response = await handleWith(decision, exchange, { ...request, body });
    return {
      ...response,
      headers: {
        ...response.headers,
        ...(decision && { [FAULT_HEADER]: describeFault(decision.applied) }),
        ...(applied !== '' && { 'preference-applied': applied }),
      },
    };
  }

  async function handleWith(
    decision: FaultDecision | undefined,
    exchange: Exchange,
    request: CoreRequest,
  ): Promise<CoreResponse> {
    const { entry, signal } = exchange;
    if (decision !== undefined) {
      const { applied } = decision;
      entry.fault = applied;
      if (applied.delayMs !== undefined) {
        // Ends early if the connection ends.
        await sleep(applied.delayMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) return NO_RESPONSE;
      }
      if (applied.effect === 'reset-before') return NO_RESPONSE;
      if (applied.status !== undefined) {
        const client = state.findClient(entry.clientId)?.client;
        return faultResponse(decision, applied.status, exchange, client);
      }
    }
    const response = await service.handle(request);
    // A response says that the state is saved. A listing changes nothing.
    if (entry.route !== 'listSessions') await state.saved();
    return response;
  }

  return {
    /** `handle` applies faults to the exchange that `run` runs for. */
    claimlink: { ...service, handle },
    /** Runs a function for one exchange, at the time of its client. */
    run: (exchange: Exchange, run: () => void): void =>
      current.run(exchange, () => state.runFor(exchange.entry.clientId, run)),
  };
}

/** Returns a function that reads the body once and notes it for the request log. */
function captureBody(exchange: Exchange, { body }: CoreRequest): () => Promise<unknown> {
  let reading: Promise<unknown> | undefined;
  async function read(): Promise<unknown> {
    const bytes: unknown = typeof body === 'function' ? await body() : body;
    if (bytes instanceof Uint8Array && bytes.length > 0) exchange.entry.requestBody = redactBody(bytes);
    return bytes;
  }
  return () => {
    reading ??= read();
    return reading;
  };
}

/** Returns `config.currentUserId` of a link request. */
function userIdFrom(body: unknown): string | null {
  try {
    const userId: unknown = JSON.parse(String(Buffer.from(body as Uint8Array))).config.currentUserId;
    return typeof userId === 'string' || typeof userId === 'number' ? String(userId) : null;
  } catch {
    return null;
  }
}
