// The tracing channel of requests (node:diagnostics_channel).
import { tracingChannel } from 'node:diagnostics_channel';
import type { ErrorCode } from '../core/errors.js';
import { hasSubscribers, TRACING_CHANNELS, trace } from '../core/tracing.js';
import type { CoreResponse } from './messages.js';
import type { Exchange } from './routes.js';

/**
 * Context of `claimlink:request`: one call of `handle`. It has no parameters, body, result, error or user id.
 * A status from 500 on counts as failed.
 */
export interface RequestTrace {
  /** `operationId` of the route, such as `listSessions`. Absent for a request without an operation: a 404 or 405. */
  operation?: string;
  /** Set once the API key or the token has proved the client. So every value is the id of an existing client. */
  clientId?: string;
  /** HTTP status. Set at the end. */
  status?: number;
  /** Code of the error that the caller got. Set at the end of a failed request. */
  code?: ErrorCode;
  /** Milliseconds until the response was ready to be sent. Set at the end. */
  durationMs?: number;
}

const requests = tracingChannel<RequestTrace, RequestTrace>(TRACING_CHANNELS.request);

/** Begins a request and responds. Publishes the request if there are subscribers. */
export async function traceRequest(
  operation: string | undefined,
  begin: () => Promise<Exchange>,
): Promise<CoreResponse> {
  if (!hasSubscribers(requests)) return (await (await begin()).respond()).response;
  const context: RequestTrace = { ...(operation !== undefined && { operation }) };
  const run = async () => {
    const { clientId, respond } = await begin();
    if (clientId !== undefined) context.clientId = clientId;
    const { response, code } = await respond();
    if (code !== undefined) context.code = code;
    context.status = response.status;
    return response;
  };
  return trace(requests, context, run, ({ status }) => status >= 500);
}
