#!/usr/bin/env node
// The bin: calls main with the process and sets the exit code.
import { setFlagsFromString } from 'node:v8';
import { main } from './cli/main.js';

// V8 lets a heap grow to several times of what it holds before it collects garbage. A mock shares the machine of a
// developer: less memory is worth a few collections.
setFlagsFromString('--heap-growing-percent=40');

// `claimlink | head` closes stdout early. The server must keep running.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await main(process.argv.slice(2), process.env, process);
