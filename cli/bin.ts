#!/usr/bin/env node
// The bin: calls main with the process and sets the exit code.
import module from 'node:module';

// Node 22 keeps the compiled code, so that the next start is faster. It takes the modules that are loaded afterwards.
Object(module).enableCompileCache?.();
const { main } = await import('./main.js');

// `claimlink | head` closes stdout early. The server must keep running.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await main(process.argv.slice(2), process);
