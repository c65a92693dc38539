// The built command line over one database, twice: what was there before the restart is there after it.
import t from 'tap';
import { findPostgres, openSchema } from '../../storage/postgres-server.js';
import { startCli } from '../child.js';
import { list, send } from '../client.js';
import { mintLink, submitClaim } from '../links.js';

const server = await findPostgres(t);
if (server !== undefined) {
  t.test('sessions, links, keys and seeded users outlive the process', async (t) => {
    const { schema } = await openSchema(t, server);
    const env = { CLAIMLINK_DATABASE_URL: server.url, CLAIMLINK_SCHEMA: schema };
    const users = ['user-2', 'user-many', 'n%C3%B6body'];
    const bodiesOf = (url: string) => Promise.all(users.map(async (user) => (await list(url, user)).body));

    const first = startCli(t, ['--port', '0', '--ready-json'], env);
    const { url } = JSON.parse(await first.until(/\n/));
    const seeded = await bodiesOf(url);
    const [submitted, opened, unopened] = [await mintLink(url), await mintLink(url), await mintLink(url)];
    const reference = await submitClaim(url, submitted);
    t.equal((await send(opened)).status, 200);
    const before = (await list(url, 'user-1')).body;
    t.equal(await first.end('SIGTERM'), 0);

    const issue = startCli(t, ['keys', 'issue', '--client', 'demo'], env);
    const [, apiKey = ''] = /^Key +(\S+)/.exec(await issue.until(/Key id.*\n/)) ?? [];

    const again = startCli(t, ['--port', new URL(url).port, '--ready-json'], env);
    t.equal(JSON.parse(await again.until(/\n/)).url, url);
    t.same(await bodiesOf(url), seeded, 'seeded users have the same bytes');
    t.equal((await list(url, 'user-1')).body, before);
    t.equal(JSON.parse(before)[0].reference, reference, 'the submitted session is still the first');
    t.equal((await send(opened)).status, 200, 'a link that was open opens again');
    t.equal((await send(unopened)).status, 200, 'a link that nobody had opened opens');
    t.equal((await send(submitted)).status, 410, 'a submitted link stays submitted');
    const second = await submitClaim(url, unopened);
    t.match(JSON.parse((await list(url, 'user-1')).body), [{ reference: second }, { reference }]);
    t.ok(await mintLink(url, 'user-1', apiKey), 'a key that was issued meanwhile works');
    t.equal(await again.end('SIGTERM'), 0);
  });
}
