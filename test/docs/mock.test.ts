// docs/mock.md shows curl commands. They are run in their order.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { startMockServer } from '../../mock-server/index.js';
import { codeBlocks, readDocument } from './markdown.js';

t.test('each curl line of docs/mock.md works when it is pasted', async (t) => {
  const mock = await startMockServer({ port: 0 });
  t.teardown(() => mock.close());
  const lines = codeBlocks(readDocument('docs/mock.md'))
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => line.startsWith('curl '));
  t.ok(lines.length >= 5);
  for (const line of lines) {
    // curl then ends with an exit code for each error status.
    const command = line
      .replaceAll('http://127.0.0.1:4010', mock.url)
      .replace(/^curl /, 'curl --fail-with-body ');
    await t.resolves(promisify(execFile)('sh', ['-c', command]), line);
  }
});
