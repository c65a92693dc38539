// Runs the test files on the command line in this process, one after another.
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Match } from 'tcompare';

const ROOT = new URL('../', import.meta.url);

// The default name contains all files on the command line, which is too long for a folder.
t.testdirName = fileURLToPath(new URL(`.tap/fixtures/${process.pid}`, ROOT));

// tap's match accepts any Date where the pattern has a Date. It compares ISO text with the time of a Date.
const { test: matches } = Match.prototype;
Match.prototype.test = function test() {
  if (this.expect instanceof Date) throw new Error('t.match would accept any Date. Write it as ISO text.');
  return matches.call(this);
};

// Without an exit of its own, an ended process would not call the listeners of `exit`, which end servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const createTest = t.test;
for (const file of process.argv.slice(2)) {
  // A file may run its tests side by side. The next file does not.
  t.jobs = 1;
  const tests = [];
  const teardowns = [];
  // The report names the file of each test. The next file starts when the tests of this one have ended.
  t.test = (name, ...rest) => {
    const test = createTest(`${file}: ${name}`, ...rest);
    tests.push(test);
    return test;
  };
  // A file that starts a server stops it before the next file starts.
  t.teardown = (teardown) => teardowns.unshift(teardown);

  const compiled = new URL(`build/${file.replace(/\.ts$/, '.js')}`, ROOT);
  try {
    await import(compiled.href);
    await Promise.all(tests);
    for (const teardown of teardowns) await teardown();
  } catch (error) {
    t.error(error, `${file} failed outside its tests`);
  }
}
