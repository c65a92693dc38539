// The dashboard of a mock on PostgreSQL: what cannot be done there is not offered, and the reason is.
import t from 'tap';
import { startMockServer } from '../../../mock-server/index.js';
import { findPostgres, openSchema } from '../../storage/postgres-server.js';
import { send } from '../client.js';
import { act, follow, LINK_FIELDS, part } from '../dashboard-forms.js';

const server = await findPostgres(t);
if (server !== undefined) {
  t.test('reset, snapshots and removing a client are not offered, and refused when asked for', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await using mock = await startMockServer({ port: 0, database: pool, schema });
    await mock.addClient({ clientId: 'added' });
    const { body } = await send(`${mock.url}/?client=added`);
    t.match(body, 'This world lives in a database');
    for (const action of ['reset', 'take-snapshot', 'restore-snapshot', 'remove-client'])
      t.notMatch(body, `dashboard/${action}"`, action);
    for (const [action, fields] of [
      ['reset', {}],
      ['take-snapshot', { '/name': 'one' }],
    ] as const)
      t.match(await act(mock.url, action, fields), { status: 400, body: /in a database/ }, action);
  });

  t.test('links are made and submitted, and clock and faults are turned, as anywhere', async (t) => {
    const { pool, schema } = await openSchema(t, server);
    await using mock = await startMockServer({ port: 0, database: pool, schema });
    await follow(mock.url, 'make-link', LINK_FIELDS);
    const { body } = await follow(mock.url, 'submit-link', { link: mock.links()[0]?.id ?? '' });
    t.match(part(body, 'links'), 'class="state submitted"');
    t.match(part(body, 'sessions'), String(mock.links()[0]?.reference));
    await follow(mock.url, 'turn-clock', { ms: '60000' });
    await follow(mock.url, 'add-fault', { '/effect': 'cut', '/times': '1' });
    t.equal(mock.clock.read({ clientId: 'demo' }).offsetMs, 60_000);
    t.equal(mock.faults().length, 1);
  });
}
