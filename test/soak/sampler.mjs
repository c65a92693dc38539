// Loaded with --import: a process that sends its memory and its handles to its parent process when the parent asks.
import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

process.on('message', async (message) => {
  if (message !== 'sample') return;
  // Callbacks of the first collection may release more.
  globalThis.gc();
  await wait(100);
  globalThis.gc();
  const { heapUsed, rss } = process.memoryUsage();
  process.send({
    heap: heapUsed,
    rss,
    handles: process.getActiveResourcesInfo().length,
    files: readdirSync('/proc/self/fd').length,
  });
});
// It must not keep a process alive that did not start. No process outlives its parent process.
process.channel.unref();
process.on('disconnect', () => process.exit());
