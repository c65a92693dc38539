// docs/delivery.md shows a failed delivery. Its commands are run in their order.
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../package/programs.js';
import { codeBlocks, readDocument } from './markdown.js';
import { createShell } from './workspace.js';

t.test('the commands of docs/delivery.md show a failed delivery, and deliver it', async (t) => {
  const [block, ...others] = codeBlocks(readDocument('docs/delivery.md')).filter(
    ({ language }) => language === 'sh',
  );
  // The tests of `claimlink links` run the commands of a support case.
  t.equal(others.length, 1);
  const { folder, shell } = await createShell(t);
  await symlink(join(ROOT, 'examples'), join(folder, 'examples'));
  const { stdout, stderr } = await shell(String(block?.code));
  const [, reference = ''] = /^(S-\w+), attempt 20: HTTP_503, the last one\n/m.exec(stdout) ?? [];
  t.match(stdout, 'failedAttempts: 1, pending: 0, failed: 1 }\nclientId ');
  t.match(
    stdout,
    new RegExp(
      `^rehearsal-\\w+ +claim\\.submitted +${reference} .* Error HTTP_503\n1 delivery is due again`,
      'm',
    ),
  );
  t.match(stdout, `delivered ${reference}\n{ delivered: 1, failedAttempts: 0, pending: 0, failed: 0 }`);
  t.match(stderr, 'In all: 1 failed, 0 pending.');
});
