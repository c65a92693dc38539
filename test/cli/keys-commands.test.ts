// claimlink keys, on a real PostgreSQL.
import t from 'tap';
import { hashApiKey } from '../../lib/index.js';
import { createPostgresStorage, migrate } from '../../lib/storage/postgres/index.js';
import { setUp } from '../mock-server/command.js';
import { findPostgres, openSchema } from '../storage/postgres-server.js';

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

  t.test('issue --json prints the key once, with the members of keys list --json', async (t) => {
    const { run } = await open(t);
    const { stdout } = await run('keys issue --client acme --expires 2999-12-31 --json');
    const { key, ...issued } = JSON.parse(stdout);
    t.match(key, /^clk_[\w-]{43}$/);
    const [listed] = JSON.parse((await run('keys list --client acme --json')).stdout);
    t.strictSame({ ...issued, key: `clk_…${key.slice(-4)}` }, listed);
    t.match(issued, { clientId: 'acme', state: 'active', expiresAt: '2999-12-31T00:00:00.000Z' });
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

  t.test('an expiry in the past is rejected before anything is stored', async (t) => {
    const { run, storage } = await open(t);
    t.match(await run('keys issue --client acme --expires 2020-01-01'), {
      code: 2,
      stdout: '',
      stderr: 'claimlink: --expires must be a Date in the future.\n',
    });
    t.same(await storage.listApiKeys('acme'), []);
  });

  t.test('an unknown client is one sentence', async (t) => {
    const { run } = await open(t);
    const stderr = 'claimlink: There is no client nobody. claimlink clients list shows all.\n';
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
    await storage.recordKeyUse({ apiKeyHash: '4', at: at('2026-02-02T09:00:00') });
    t.match(await run('keys list --client acme'), {
      code: 0,
      stdout: [
        'id   key        createdAt          expiresAt          revokedAt          lastUsedAt         state',
        'a    clk_…aaaa  2026-01-31 09:30Z  -                  -                  never              active',
        'bb   -          2026-01-31 09:30Z  2026-02-01 00:00Z  -                  never              expired',
        'ccc  \\u001b[2J  2026-01-31 09:30Z  2999-01-01 00:00Z  -                  never              active',
        'd    clk_…dddd  2026-01-31 09:30Z  -                  2026-02-02 10:00Z  2026-02-02 09:00Z  revoked',
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
    const list = async () => JSON.parse((await run('keys list --client acme --json')).stdout);
    t.same(await list(), [
      {
        id: 'a',
        clientId: 'acme',
        key: null,
        state: 'active',
        createdAt: '2026-01-31T09:30:59.123Z',
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      },
    ]);
    await storage.recordKeyUse({ apiKeyHash: 'the-hash', at: new Date('2026-02-01T10:00:00Z') });
    t.match(await list(), [{ id: 'a', lastUsedAt: '2026-02-01T10:00:00.000Z' }]);
  });

  t.test('show prints one key with its client and its state, and never the key or its hash', async (t) => {
    const { run, storage } = await open(t);
    const [, secret = '', id = ''] = ISSUED.exec((await run('keys issue --client acme')).stdout) ?? [];
    const [apiKey] = await storage.listApiKeys('acme');
    const { code, stdout } = await run(`keys show ${id}`);
    t.equal(code, 0);
    t.match(
      stdout,
      new RegExp(
        `^id {10}${id}\nclientId {4}acme\nkey {9}clk_…${secret.slice(-4)}\nstate {7}active\ncreatedAt {3}2`,
      ),
    );
    t.match(stdout, /\nexpiresAt {3}-\nrevokedAt {3}-\nlastUsedAt {2}never\n$/);
    const json = await run(`keys show ${id} --json`);
    t.match(JSON.parse(json.stdout), {
      id,
      clientId: 'acme',
      state: 'active',
      expiresAt: null,
      lastUsedAt: null,
    });
    for (const text of [secret, apiKey?.hash ?? '']) t.notOk((stdout + json.stdout).includes(text));
  });

  t.test('update changes the expiry of a key, and only that', async (t) => {
    const { run, storage } = await open(t);
    const key = { id: 'key-1', clientId: 'acme', hash: '1', createdAt: new Date('2026-01-01') };
    await storage.insertApiKey({ ...key, expiresAt: new Date('2026-01-02') });
    t.match(await run('keys update key-1 --expires 2999-12-31'), {
      code: 0,
      stdout: 'The key key-1 ends on 2999-12-31 00:00Z.\n',
    });
    t.same(await storage.findApiKey('key-1'), { ...key, expiresAt: new Date('2999-12-31') });
    t.match(await run('keys update key-1 --expires 2020-01-01'), {
      code: 2,
      stderr: 'claimlink: --expires must be a Date in the future.\n',
    });
    t.match(await run('keys update key-1'), {
      code: 2,
      stderr: /^claimlink: required option '--expires <date\|days\|never>' not specified\n/,
    });
    t.same((await storage.findApiKey('key-1'))?.expiresAt, new Date('2999-12-31'));
    t.match(await run('keys update key-1 --expires never'), {
      code: 0,
      stdout: 'The key key-1 does not expire.\n',
    });
    t.same(await storage.findApiKey('key-1'), key);
  });

  const DAY_MS = 86_400_000;

  t.test('rotate issues a key of the same client, and both work until the old one ends', async (t) => {
    const { run, storage } = await open(t);
    const old = { id: 'old', clientId: 'acme', hash: '1', createdAt: new Date('2026-01-01') };
    await storage.insertApiKey(old);
    const before = Date.now();
    const { code, stdout, stderr } = await run('keys rotate old');
    t.equal(code, 0);
    const [, key = '', id] =
      /^Key {5}(clk_[\w-]{43})\nKey id {2}(key_\w+)\nThe old key old ends on .*Z\.\n$/.exec(stdout) ?? [];
    t.equal(stderr, 'The key is not stored and will not be shown again. Keep it now.\n');
    const [first, second, ...others] = await storage.listApiKeys('acme');
    t.same(others, []);
    t.match(first, { ...old, createdAt: old.createdAt.toISOString() });
    const days = ((first?.expiresAt?.getTime() ?? 0) - before) / DAY_MS;
    t.ok(days >= 7 && days < 7.01, `the old key ends in ${days} days`);
    t.match(second, { id, hash: hashApiKey(key), hint: `clk_…${key.slice(-4)}` });
    t.equal(second?.expiresAt, undefined, 'the old key did not expire');
  });

  t.test('rotate --json prints the new key once, and when the old one ends', async (t) => {
    const { run, storage } = await open(t);
    await storage.insertApiKey({ id: 'old', clientId: 'acme', hash: '1', createdAt: new Date() });
    const { code, stdout, stderr } = await run('keys rotate old --json');
    t.equal(code, 0);
    t.equal(stderr, 'The key is not stored and will not be shown again. Keep it now.\n');
    const { key, oldKeyEndsAt, ...issued } = JSON.parse(stdout);
    t.match(key, /^clk_[\w-]{43}$/);
    const [old, listed] = JSON.parse((await run('keys list --client acme --json')).stdout);
    t.strictSame({ ...issued, key: `clk_…${key.slice(-4)}` }, listed);
    t.equal(oldKeyEndsAt, old.expiresAt);
    t.match(JSON.parse((await run('keys rotate old --old-ends-in 0 --json')).stdout), { state: 'active' });
  });

  t.test('--old-ends-in 0 ends the old key at once', async (t) => {
    const { run, storage } = await open(t);
    await storage.insertApiKey({ id: 'old', clientId: 'acme', hash: '1', createdAt: new Date() });
    t.match((await run('keys rotate old --old-ends-in 0')).stdout, /\nThe old key old has ended\.\n$/);
    t.match((await run('keys show old')).stdout, /^state {7}expired$/m);
  });

  t.test('a new key has the lifetime of the old one, or that of --expires', async (t) => {
    const { run, storage } = await open(t);
    const createdAt = new Date(Date.now() - 80 * DAY_MS);
    const expiresAt = new Date(createdAt.getTime() + 90 * DAY_MS);
    await storage.insertApiKey({ id: 'old', clientId: 'acme', hash: '1', createdAt, expiresAt });
    for (const flags of ['', ' --expires 30d', ' --expires never']) await run(`keys rotate old${flags}`);
    const [, ...issued] = await storage.listApiKeys('acme');
    const lifetimes = issued.map(
      ({ createdAt, expiresAt }) =>
        expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / DAY_MS),
    );
    t.same(lifetimes, [90, 30, undefined]);
  });

  t.test('rotate never extends the old key', async (t) => {
    const { run, storage } = await open(t);
    const expiresAt = new Date(Date.now() + DAY_MS);
    await storage.insertApiKey({ id: 'old', clientId: 'acme', hash: '1', createdAt: new Date(), expiresAt });
    const end = expiresAt.toISOString().slice(0, 16).replace('T', ' ');
    t.match((await run('keys rotate old')).stdout, `The old key old ends on ${end}Z.\n`);
    t.same((await storage.findApiKey('old'))?.expiresAt, expiresAt);
  });

  t.test('rotate rejects a key that has ended and an expiry in the past, and issues nothing', async (t) => {
    const { run, storage } = await open(t);
    const key = { clientId: 'acme', createdAt: new Date('2026-01-01') };
    await storage.insertApiKey({ ...key, id: 'expired', hash: '1', expiresAt: new Date('2026-01-02') });
    await storage.insertApiKey({ ...key, id: 'revoked', hash: '2', revokedAt: new Date('2999-01-01') });
    await storage.insertApiKey({ ...key, id: 'active', hash: '3' });
    for (const state of ['expired', 'revoked'])
      t.match(await run(`keys rotate ${state}`), {
        code: 2,
        stdout: '',
        stderr: `claimlink: There is no key with the id ${state}, or it has ended. Issue one with claimlink keys issue.\n`,
      });
    t.match(await run('keys rotate active --expires 2020-01-01'), {
      code: 2,
      stdout: '',
      stderr: 'claimlink: --expires must be a Date in the future.\n',
    });
    t.equal((await storage.listApiKeys('acme')).length, 3);
  });

  t.test('if the old key cannot be changed, the new key is printed and both work', async (t) => {
    const { run, storage, pool } = await open(t);
    await storage.insertApiKey({ id: 'old', clientId: 'acme', hash: '1', createdAt: new Date() });
    await pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE insufficient_privilege; END $$`);
    await pool.query(
      'CREATE TRIGGER fail BEFORE UPDATE ON claimlink_api_keys FOR EACH ROW EXECUTE FUNCTION fail()',
    );
    const { code, stdout, stderr } = await run('keys rotate old');
    t.not(code, 0);
    const [, key = ''] = ISSUED.exec(stdout) ?? [];
    t.match(
      stderr,
      '\nThe new key works. The end of the old key old may not be set: see claimlink keys show old.\n',
    );
    const [old, issued] = await storage.listApiKeys('acme');
    t.equal(old?.expiresAt, undefined);
    t.equal(issued?.hash, hashApiKey(key));
  });

  t.test('a key that is revoked during its rotation stays revoked, and the new key is printed', async (t) => {
    const { run, storage, pool } = await open(t);
    await storage.insertApiKey({ id: 'old', clientId: 'acme', hash: '1', createdAt: new Date() });
    await pool.query(`CREATE FUNCTION revoke() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
      $$ BEGIN UPDATE claimlink_api_keys SET revoked_at = now() WHERE id = 'old'; RETURN NULL; END $$`);
    await pool.query(
      'CREATE TRIGGER revoke AFTER INSERT ON claimlink_api_keys FOR EACH ROW EXECUTE FUNCTION revoke()',
    );
    const { code, stdout, stderr } = await run('keys rotate old');
    t.equal(code, 0);
    t.match(stdout, ISSUED);
    t.match(stderr, '\nThe old key old was revoked or removed in the meantime.\n');
    t.match((await storage.findApiKey('old'))?.expiresAt, undefined);
  });

  t.test('show, update and rotate of an unknown or revoked key are one sentence', async (t) => {
    const { run, storage } = await open(t);
    const createdAt = new Date('2026-01-01');
    await storage.insertApiKey({ id: 'gone', clientId: 'acme', hash: '1', createdAt, revokedAt: createdAt });
    const unknown =
      'claimlink: There is no key with the id nobody. claimlink keys list shows those of a client.\n';
    t.match(await run('keys show nobody'), { code: 2, stdout: '', stderr: unknown });
    t.match(await run('keys rotate nobody'), {
      code: 2,
      stdout: '',
      stderr: /^claimlink: There is no key with the id nobody, or it has ended\./,
    });
    for (const id of ['nobody', 'gone'])
      t.match(await run(`keys update ${id} --expires 1d`), {
        code: 2,
        stdout: '',
        stderr: `claimlink: There is no key with the id ${id}, or it is revoked.\n`,
      });
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
