// docs/mock.md shows commands for the control API. Each one is run.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { codeBlocks, readDocument } from './markdown.js';

t.test('each curl line works when it is pasted', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const lines = codeBlocks(readDocument('docs/mock.md'))
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => line.startsWith('curl '));
  t.ok(lines.length >= 5);
  for (const line of lines) {
    const command = line.replaceAll('http://127.0.0.1:4010', mock.url);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    t.equal(JSON.parse(stdout).code, undefined, line);
  }
});
