// What is to be done to a request of the service before, and instead of, its handling: the same over HTTP and fetch.
import type { CoreRequest, CoreResponse } from '../../lib/index.js';
import type { AppliedFault } from '../control.js';
import { problemAnswer } from '../http/problem.js';
import type { Mock } from '../mock.js';
import { describeFault, FAULT_HEADER, faultAnswer } from './fault-answer.js';
import { readPreferences, stripPreferences } from './preferences.js';
import type { Trace } from './trace.js';

/** What was decided about a request. */
export interface Admission {
  trace: Trace;
  /** The request target, without what was for the mock. */
  target: string;
  fault: AppliedFault | undefined;
  /** Answer with this, and let the service know nothing of it. */
  answer: CoreResponse | undefined;
  /** Say this on the answer, whoever gives it. */
  headers: Readonly<Record<string, string>>;
}

/** Decides about a request, and counts the faults that it meets. */
export function admit(mock: Mock, request: Pick<CoreRequest, 'method' | 'url' | 'headers'>): Admission {
  const { method, url } = request;
  const trace = mock.trace(method, url);
  const preferences = readPreferences(request.headers, url);
  if ('problems' in preferences) {
    const answer = problemAnswer('preference_invalid', preferences.problems);
    return { trace, target: url, fault: undefined, answer, headers: {} };
  }
  const { asked, applied } = preferences;
  const fault = mock.faults.decide(trace, asked);
  const headers = {
    ...(fault && { [FAULT_HEADER]: describeFault(fault) }),
    ...(applied !== '' && { 'preference-applied': applied }),
  };
  const { status } = fault ?? {};
  const answer =
    fault && status !== undefined
      ? faultAnswer({ fault: { ...fault, status }, route: trace.route, request })
      : undefined;
  return { trace, target: stripPreferences(url), fault, answer, headers };
}
