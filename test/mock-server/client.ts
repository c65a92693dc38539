// A plain HTTP client for these tests: it can send any Host header, which fetch cannot.
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The listing of a user of the demo client. */
export function list(url: string, userId: string): Promise<Answer> {
  return send(`${url}/demo/sessions/${userId}`, { headers: { 'x-api-key': 'clk_test_demo' } });
}

/** Collects what is written. */
export function createSink(isTTY = false) {
  const sink = {
    text: '',
    isTTY,
    write(text: string) {
      sink.text += text;
    },
  };
  return sink;
}
