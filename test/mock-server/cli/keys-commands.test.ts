// claimlink keys issue, list and revoke, on a real PostgreSQL.
import t from 'tap';
import { hashApiKey } from '../../../lib/index.js';
import { createPostgresStorage, migrate } from '../../../lib/storage/postgres/index.js';
import { findPostgres, openSchema } from '../../storage/postgres-server.js';
import { setUp } from '../command.js';

const server = await findPostgres(t);
if (server !== undefined) {
  const env = { CLAIMLINK_DATABASE_URL: server.url };

  async function open(t: Parameters<typeof openSchema>[0]) {
    const { pool, schema } = await openSchema(t, server ?? { url: '' });
    await migrate(pool, { schema });
    const storage = createPostgresStorage(pool, { schema });
    await storage.insertClient({ clientId: 'acme' });
    const run = async (args: string) => {
      const { run, stdout, stderr } = setUp();
      const code = await run(`${args} --schema ${schema}`, env);
      return { code, stdout: stdout.text, stderr: stderr.text };
    };
    return { run, storage, pool };
  }

  const ISSUED = /^Key {5}(clk_[\w-]{43})\nKey id {2}(key_[0-9a-f]{12})\n$/;

  t.test('issue prints the key once, with its id; what is stored is its hash and a hint', async (t) => {
    const { run, storage, pool } = await open(t);
    const { code, stdout, stderr } = await run('keys issue --client acme');
    t.equal(code, 0);
    const [, key = '', id = ''] = ISSUED.exec(stdout) ?? [];
    t.equal(stderr, 'The key is not stored and will not be shown again. Keep it now.\n');
    const [apiKey] = await storage.listApiKeys('acme');
    t.match(apiKey, { hash: hashApiKey(key), id, clientId: 'acme', hint: `clk_…${key.slice(-4)}` });
    t.equal(apiKey?.expiresAt, undefined);
    const { rows } = await pool.query('SELECT * FROM claimlink_api_keys');
    t.notMatch(JSON.stringify(rows), key);
  });

  t.test('a key may expire, on a day or after days', async (t) => {
    const { run, storage } = await open(t);
    await run('keys issue --client acme --expires 2999-12-31');
    const before = Date.now();
    await run('keys issue --client acme --expires 90d');
    const [onDay, afterDays] = await storage.listApiKeys('acme');
    t.same(onDay?.expiresAt, new Date('2999-12-31T00:00:00Z'));
    const days = ((afterDays?.expiresAt?.getTime() ?? 0) - before) / 86_400_000;
    t.ok(days >= 90 && days < 90.01, String(days));
  });

  t.test('an expiry in the past is refused before anything is stored', async (t) => {
    const { run, storage } = await open(t);
    t.match(await run('keys issue --client acme --expires 2020-01-01'), {
      code: 2,
      stdout: '',
      stderr: 'claimlink: --expires must be in the future.\n',
    });
    t.same(await storage.listApiKeys('acme'), []);
  });

  t.test('an unknown client is one sentence', async (t) => {
    const { run } = await open(t);
    const stderr = 'claimlink: There is no client nobody. Add it with claimlink clients add.\n';
    t.match(await run('keys issue --client nobody'), { code: 2, stdout: '', stderr });
    t.match(await run('keys list --client nobody'), { code: 2, stdout: '', stderr });
  });

  t.test('list is a table: oldest first, in columns, with the state of each key', async (t) => {
    const { run, storage } = await open(t);
    const at = (text: string) => new Date(`${text}Z`);
    const key = { clientId: 'acme', createdAt: at('2026-01-31T09:30:59') };
    await storage.insertApiKey({ ...key, id: 'a', hash: '1', hint: 'clk_…aaaa' });
    await storage.insertApiKey({ ...key, id: 'bb', hash: '2', expiresAt: at('2026-02-01T00:00:00') });
    await storage.insertApiKey({
      ...key,
      id: 'ccc',
      hash: '3',
      hint: '\u001b[2J',
      expiresAt: at('2999-01-01T00:00:00'),
    });
    await storage.insertApiKey({ ...key, id: 'd', hash: '4', hint: 'clk_…dddd' });
    await storage.revokeApiKey('d', at('2026-02-02T10:00:00'));
    t.match(await run('keys list --client acme'), {
      code: 0,
      stdout: [
        'id   key        created            expires            revoked            state',
        'a    clk_…aaaa  2026-01-31 09:30Z  -                  -                  active',
        'bb   -          2026-01-31 09:30Z  2026-02-01 00:00Z  -                  expired',
        'ccc  ?[2J       2026-01-31 09:30Z  2999-01-01 00:00Z  -                  active',
        'd    clk_…dddd  2026-01-31 09:30Z  -                  2026-02-02 10:00Z  revoked',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  t.test('list --json has the same, for programs, and never the hash', async (t) => {
    const { run, storage } = await open(t);
    t.equal((await run('keys list --client acme --json')).stdout, '[]\n');
    const createdAt = new Date('2026-01-31T09:30:59.123Z');
    await storage.insertApiKey({ id: 'a', clientId: 'acme', hash: 'the-hash', createdAt });
    const { stdout } = await run('keys list --client acme --json');
    t.same(JSON.parse(stdout), [
      {
        id: 'a',
        clientId: 'acme',
        key: null,
        state: 'active',
        createdAt: '2026-01-31T09:30:59.123Z',
        expiresAt: null,
        revokedAt: null,
      },
    ]);
  });

  t.test('revoke ends a key, once', async (t) => {
    const { run, storage } = await open(t);
    const [, , id] = ISSUED.exec((await run('keys issue --client acme')).stdout) ?? [];
    t.match(await run(`keys revoke ${id}`), { code: 0, stdout: `Revoked the key ${id}.\n` });
    t.ok((await storage.listApiKeys('acme'))[0]?.revokedAt);
    t.match(await run(`keys revoke ${id}`), {
      code: 2,
      stderr: `claimlink: There is no key with the id ${id}, or it is revoked already.\n`,
    });
    t.match((await run('keys list --client acme')).stdout, / revoked\n$/);
  });
}
