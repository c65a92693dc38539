// The log: one line per request and per server error, without secrets. Paths of routes have no personal data.
import { isError } from '../../lib/core/plain-data.js';
import { type FailedRequest, isClaimlinkError, type Problem, type RedactedRequest } from '../../lib/index.js';
import { type AppliedFault, describeFault } from '../control/types.js';
import type { LogFormat } from '../schemas/defaults.js';
import type { LogStream } from '../state/options.js';
import { createPaint, hasColor, printable } from './terminal.js';

export interface LoggedResponse extends RedactedRequest {
  /** 499: the client closed the connection before the response. null: the webhook got no response. */
  status: number | null;
  /** Set for an attempt to send the webhook: its number, from 1. */
  attempt?: number;
  durationMs: number;
  fault?: AppliedFault | undefined;
  /** Code of an error response, and its first problem. */
  code?: string | undefined;
  problem?: Problem | undefined;
}

export interface Log {
  response(response: LoggedResponse): void;
  /** Writes a hint for the person at the terminal. */
  hint(text: string): void;
  /** Writes code and stack of an error. Messages of errors that are not claimlink's may quote data: left out. */
  error(error: unknown, request?: RedactedRequest | FailedRequest): void;
}

export function createLog(format: LogFormat, stream: LogStream): Log {
  if (format === 'silent') return { response() {}, hint() {}, error() {} };
  if (format === 'json') {
    const write = (line: object) =>
      stream.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
    return {
      response: ({ fault, ...line }) =>
        write({
          level: 'info',
          msg: line.attempt ? 'webhook' : 'request',
          ...line,
          ...(fault && { fault: withoutContent(fault) }),
        }),
      hint: (text) => write({ level: 'warn', msg: text }),
      error: (error, request) => write({ level: 'error', msg: 'error', ...describe(error), ...request }),
    };
  }

  const styled = createPaint(hasColor(stream, process.env));
  const write = (text: string) => stream.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
  return {
    response({ method, path, status, durationMs, attempt, code, problem, fault }) {
      const rank = status ?? 599;
      const style = rank >= 500 ? 'red' : rank >= 400 ? 'yellow' : 'green';
      const number = attempt && `attempt ${attempt}`;
      const shownFault = fault && `fault: ${describeFault(fault)}`;
      const details = [number, code, problem?.pointer ?? problem?.parameter, problem?.detail, shownFault];
      const parts = [method.padEnd(4), path, ...details.filter(Boolean), `${durationMs} ms`];
      write(`${styled(style, String(status ?? '---'))} ${printable(parts.join(' '))}`);
    },
    hint: (text) => write(styled('yellow', printable(text))),
    error(error, request) {
      const { code, stack } = describe(error);
      const instance = request && 'instance' in request ? ` ${request.instance}` : '';
      const place = request ? ` in ${request.method} ${printable(request.path)}${instance}` : '';
      write(`${styled('red', code + place)}\n${stack}`);
    },
  };
}

/** The log has no bodies. */
function withoutContent({ headers: _, body: _body, ...fault }: AppliedFault): AppliedFault {
  return fault;
}

function describe(error: unknown): { code: string; stack: string } {
  if (!isError(error)) return { code: typeof error, stack: '' };
  const code = 'code' in error ? String(error.code) : error.name;
  // Messages of claimlink never quote a value.
  const message = isClaimlinkError(error) ? [`    ${error.message}`] : [];
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const cause = error.cause === undefined ? undefined : describe(error.cause);
  const causedBy = cause ? [`    caused by ${cause.code}`, cause.stack] : [];
  return { code, stack: [...message, ...frames, ...causedBy].join('\n') };
}
