// Every Date of a state is a Date again after a restart and in a named snapshot, in files of 0.2.0 as well.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { MockServerOptions } from '../../../mock-server/state/options.js';
import { REPOSITORY } from '../../repository.js';
import { linkRequest, type OpenState, openState } from './set-up.js';

/** Written by 0.2.0 at `NOW`: a webhook failed once for a revoked link and a submission. The snapshots have both events. */
const FILE_OF_0_2_0 = new URL('test/mock-server/golden/state-of-0.2.0.json', REPOSITORY);
const HOUR = 3_600_000;

const OPTIONS = {
  clients: [{ clientId: 'demo', apiKey: 'key-of-demo' }],
  sessionCount: 0,
  events: ['claim.submitted', 'link.expiring', 'link.expired', 'link.revoked'],
} satisfies MockServerOptions;

async function open(persistFile: string) {
  const types: string[] = [];
  const opened = await openState({ ...OPTIONS, persistFile, onEvent: ({ type }) => void types.push(type) });
  /** Advances the clock, and returns the types of the events that are handled then. */
  async function typesAfter(ms: number): Promise<string[]> {
    types.length = 0;
    opened.state.methods.advanceClock({ ms });
    await opened.state.need('demo').deliverPending();
    await opened.state.need('demo').idle();
    return types.sort();
  }
  return { ...opened, typesAfter };
}

async function copyOfFile(t: Test): Promise<string> {
  const path = join(t.testdir({}), 'state.json');
  await copyFile(FILE_OF_0_2_0, path);
  return path;
}

t.test('a file of 0.2.0 delivers the events whose first attempt failed, and its links expire', async (t) => {
  const opened = await open(await copyOfFile(t));
  const expected = ['claim.submitted', 'link.expiring', 'link.revoked'];
  t.same(await opened.typesAfter(20.5 * HOUR), expected);
  t.same(await opened.typesAfter(20 * HOUR), ['link.expired']);
  await opened.state.close();
});

for (const name of ['one', 'all']) {
  t.test(`the snapshot ${name} of a file of 0.2.0 delivers its events`, async (t) => {
    const opened = await open(await copyOfFile(t));
    await opened.typesAfter(HOUR);
    opened.state.methods.reset({ clientId: 'demo' });
    opened.state.methods.restore({ name, ...(name === 'one' && { clientId: 'demo' }) });
    t.same(await opened.typesAfter(HOUR), ['claim.submitted', 'link.revoked']);
    await opened.state.close();
  });
}

t.test('sessions, links and histories are equal after a restart', async (t) => {
  const path = await copyOfFile(t);
  const first = await open(path);
  const { linkId } = await first.of('demo').createLink('demo', linkRequest('eve'));
  await first.of('demo').revokeLink('demo', linkId);
  const view = async ({ state }: OpenState) => ({
    sessions: state.methods.sessions({ clientId: 'demo', userId: 'dan' }),
    links: state.methods.links({ clientId: 'demo' }),
    history: await state.methods.linkHistory({ link: linkId }),
  });
  const before = await view(first);
  t.ok(before.sessions[0]?.notice?.at instanceof Date);
  await first.state.close();
  const second = await open(path);
  t.strictSame(await view(second), before);
  await second.state.close();
});

t.test('a named snapshot has the dates of each record', async (t) => {
  const opened = await openState(OPTIONS);
  const { linkId } = await opened.of('demo').createLink('demo', linkRequest('ada'));
  await opened.of('demo').revokeLink('demo', linkId);
  const before = opened.state.need('demo').save();
  t.match(before.events, [{ type: 'link.revoked', at: Date }]);
  opened.state.methods.snapshot({ name: 'one', clientId: 'demo' });
  opened.state.methods.restore({ name: 'one', clientId: 'demo' });
  t.strictSame(opened.state.need('demo').save(), before);
});
