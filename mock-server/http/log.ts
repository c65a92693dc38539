// The log: one line per request and per server error, with nothing in it that is secret or personal.
import type { ServerResponse } from 'node:http';
import { isClaimlinkError, type RedactedRequest } from '../../lib/index.js';
import { hasColor, type LogStream, paint } from '../cli/output.js';
import type { LogFormat } from '../defaults.js';

/** The log of one server. */
export interface Log {
  /** Writes the request's line once it is answered, or its connection is gone. */
  watch(response: ServerResponse, redacted: RedactedRequest): void;
  /** Writes an error: its code and its stack, but no message of a foreign error, which may quote data. */
  error(error: unknown, request?: RedactedRequest): void;
}

/** Makes a log. */
export function createLog(format: LogFormat, stream: LogStream): Log {
  if (format === 'silent') return { watch() {}, error() {} };
  const isColored = format === 'pretty' && hasColor(stream, process.env);

  function writeRequest({ method, path }: RedactedRequest, status: number, durationMs: number): void {
    if (format === 'json') {
      writeJson({ level: 'info', msg: 'request', method, path, status, durationMs });
      return;
    }
    const shown = isColored ? paint(colorOf(status), String(status)) : String(status);
    stream.write(`${clock()} ${shown} ${method.padEnd(4)} ${printable(path)} ${durationMs} ms\n`);
  }

  function writeJson(line: Record<string, unknown>): void {
    stream.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
  }

  return {
    watch(response, redacted) {
      const startedAt = performance.now();
      response.once('close', () => {
        const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
        // 499 as nginx has it: the client went away before its answer.
        writeRequest(redacted, response.writableFinished ? response.statusCode : 499, durationMs);
      });
    },
    error(error, request) {
      const { code, stack } = describe(error);
      if (format === 'json') {
        writeJson({ level: 'error', msg: 'error', code, stack, ...request });
        return;
      }
      const where = request ? ` in ${request.method} ${printable(request.path)}` : '';
      const heading = `${code}${where}`;
      stream.write(`${clock()} ${isColored ? paint('red', heading) : heading}\n${stack}\n`);
    },
  };
}

function describe(error: unknown): { code: string; stack: string } {
  if (!(error instanceof Error)) return { code: typeof error, stack: '' };
  const code = 'code' in error ? String(error.code) : error.name;
  // Messages of claimlink never quote a value.
  const message = isClaimlinkError(error) ? [`    ${error.message}`] : [];
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const cause = error.cause === undefined ? undefined : describe(error.cause);
  const causedBy = cause ? [`    caused by ${cause.code}`, cause.stack] : [];
  return { code, stack: [...message, ...frames, ...causedBy].join('\n') };
}

function colorOf(status: number): 'red' | 'yellow' | 'green' {
  return status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
}

function clock(): string {
  return new Date().toISOString().slice(11, 19);
}

/** A path is what a client sent: it must not move the cursor of a terminal. */
function printable(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, '?');
}
