// docs/mounting.md shows a Fastify host whose log has no user id and no token. The host is run, and its log is searched.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { codeBlocks, readDocument } from './markdown.js';
import { createWorkspace, startNode } from './workspace.js';

const USER_ID = 'jane.doe';
const TOKEN = 'header.secret-payload.signature';

/** The service of the host. The document begins with an existing one. */
const SERVICE = `
import { randomBytes } from 'node:crypto';
import { createClaimlink, createLinkSigner, createMemoryStorage } from 'claimlink';
const publicUrl = 'https://api.example.com/claims';
const claimlink = createClaimlink({
  storage: createMemoryStorage(),
  signer: createLinkSigner({ keys: [{ kid: '1', algorithm: 'HS256', secret: randomBytes(32) }], issuer: publicUrl }),
  publicUrl,
});
`;
const START = `
app.get('/hello/:name', () => ({ hello: 'from the host' }));
await app.listen({ port: 0, host: '127.0.0.1' });
`;

/** Paths below the mount that contain the user id or a token, most of them misspelt. */
const PATHS = [
  `/acme/sessions/${USER_ID}`,
  `//acme/sessions/${USER_ID}`,
  `/acme//sessions/${USER_ID}`,
  `/acme%2fsessions%2f${USER_ID}`,
  `/acme/sessions%2f${USER_ID}`,
  `/acme/sessions/${USER_ID}/`,
  `/acme/sessions/${USER_ID}%zz`,
  `/acme/session/${USER_ID}`,
  `/ACME/SESSIONS/${USER_ID}`,
  `/${'x'.repeat(101)}/sessions/${USER_ID}`,
  `/verify/code?token=${TOKEN}`,
  `/VERIFY/code?token=${TOKEN}`,
  `/x/verify/code?token=${TOKEN}`,
  `/verify%2fcode?token=${TOKEN}`,
  `/verify%zz/code?token=${TOKEN}`,
];

async function send(port: string, method: string, path: string): Promise<void> {
  const message: ClientRequest = request({ host: '127.0.0.1', port, method, path, agent: false });
  message.end();
  const [response] = (await once(message, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
}

for (const level of ['info', 'debug']) {
  t.test(`at level ${level}, the log of the Fastify host has no user id and no token`, async (t) => {
    const [block, ...others] = codeBlocks(readDocument('docs/mounting.md')).filter(({ code }) =>
      code.includes('serializers'),
    );
    t.same(others, []);
    const host = String(block?.code).replace('logger: {', `logger: { level: '${level}',`);
    const folder = await createWorkspace(t);
    await writeFile(join(folder, 'host.mjs'), SERVICE + host + START);
    const program = startNode(t, folder, ['host.mjs']);
    const [, port = ''] = await program.waitFor(/listening at http:\/\/127\.0\.0\.1:(\d+)/);

    for (const method of ['GET', 'POST', 'PROPFIND'])
      for (const path of PATHS) await send(port, method, `/claims${path}`);
    await send(port, 'GET', `/misspelt/${USER_ID}?token=${TOKEN}`);
    await send(port, 'GET', `/hello/${USER_ID}`);
    // A line may be logged after its response has arrived.
    await program.waitFor(/"path":"\/hello\/:name"/);
    await program.stop();

    const lines = program.output().split('\n');
    t.ok(lines.filter((line) => line.includes('incoming request')).length > PATHS.length);
    t.match(
      program.output(),
      /"path":"\/claims\/acme\/sessions\/:userId"/,
      'routes of claimlink are redacted',
    );
    t.match(program.output(), /"path":"\/claims\/\*"/, 'other paths below the mount are redacted');
    t.match(program.output(), /"path":"\/\*"/, 'other paths are redacted');
    t.same(
      lines.filter((line) => line.includes(USER_ID) || line.includes('secret-payload')),
      [],
    );
  });
}

t.test('the log of the Express host has the routes of the host, and no user id and no token', async (t) => {
  const [block, ...others] = codeBlocks(readDocument('docs/mounting.md')).filter(
    ({ code }) => code.includes('claimlink.redact') && code.includes("from 'express'"),
  );
  t.same(others, []);
  const folder = await createWorkspace(t);
  const start = `
const server = app.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));
`;
  await writeFile(join(folder, 'host.mjs'), SERVICE + String(block?.code) + start);
  const program = startNode(t, folder, ['host.mjs']);
  const [, port = ''] = await program.waitFor(/port (\d+)/);

  for (const method of ['GET', 'POST', 'PROPFIND'])
    for (const path of PATHS)
      for (const prefix of ['/claims', '/CLAIMS']) await send(port, method, prefix + path);
  await send(port, 'GET', `/misspelt/${USER_ID}?token=${TOKEN}`);
  await send(port, 'GET', `/quotes/${USER_ID}?token=${TOKEN}`);
  await program.waitFor(/"path":"\/quotes\/:id","status":200/);
  await program.stop();

  const paths = [...program.output().matchAll(/"path":"([^"]+)"/g)].map(([, path]) => path);
  t.equal(paths.length, 6 * PATHS.length + 2);
  t.same([...new Set(paths)].sort(), [
    '/*',
    '/claims/*',
    '/claims/acme/sessions/:userId',
    '/claims/verify/:accessCode',
    `/claims/${'x'.repeat(101)}/sessions/:userId`,
    '/quotes/:id',
  ]);
});
