// A raw HTTP client: sends a path unchanged and a body in pieces, and reads an early response.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface RawRequest {
  method: string;
  /** As it goes over the wire: nothing is normalised. */
  path: string;
  headers?: Record<string, string>;
  /** Several pieces are sent chunked, one after the other. */
  body?: string | Uint8Array | readonly string[];
}

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends a request on a connection of its own. */
export function send(origin: string, { method, path, headers = {}, body }: RawRequest): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const pieces =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array ? undefined : body;
    const whole = pieces === undefined ? (body as string | Uint8Array | undefined) : undefined;
    const length = whole === undefined ? {} : { 'content-length': String(Buffer.byteLength(whole)) };
    const url = new URL(origin);
    const request = httpRequest({
      host: url.hostname,
      port: url.port,
      method,
      path,
      agent: false,
      headers: { ...length, ...headers },
    });
    let response: RawResponse | undefined;
    request.on('response', (message) => {
      const { statusCode: status = 0, headers: responseHeaders } = message;
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', reject);
      message.on('end', () => {
        response = { status, headers: responseHeaders, body: Buffer.concat(chunks).toString() };
        resolve(response);
        request.destroy();
      });
    });
    // After an early answer the server closes, and what is still being written fails.
    request.on('error', (error) => response ?? reject(error));
    if (pieces === undefined) request.end(whole);
    else void sendPieces(request, pieces);
  });
}

async function sendPieces(request: ReturnType<typeof httpRequest>, pieces: readonly string[]): Promise<void> {
  for (const piece of pieces) {
    if (request.destroyed) return;
    await new Promise((written) => request.write(piece, written));
    await new Promise((turn) => setImmediate(turn));
  }
  request.end();
}

const CONTENT_HEADERS = [
  'content-type',
  'content-length',
  'cache-control',
  'location',
  'allow',
  'link',
  'www-authenticate',
  'content-security-policy',
  'referrer-policy',
  'x-robots-tag',
];

/** What must be equal, with the random parts named. */
export function comparable({ status, headers, body }: RawResponse): string {
  const contentHeaders = CONTENT_HEADERS.map((name) => `${name}: ${headers[name] ?? ''}`);
  return [`${status}`, ...contentHeaders, '', body]
    .join('\n')
    .replaceAll(/\/verify\/[\w-]{22}\?token=[\w.-]+/g, '/verify/<code>?token=<token>')
    .replaceAll(/data-link="[0-9a-f]{64}"/g, 'data-link="<link>"')
    .replaceAll(/nonce(=|-)"?[A-Za-z0-9+/]+={0,2}/g, 'nonce$1<nonce>')
    .replaceAll(/\b([SC])-[0-9A-HJKMNP-TV-Z]{16}\b/g, '$1-<reference>');
}
