// What the servers of the benchmarks share: the port that they are told, and their end.

/** The port to listen on, at 127.0.0.1. */
export const port = Number(process.argv[2]);
export const host = '127.0.0.1';

// Whoever started this is gone when its end of the pipe is: nothing is left running, whatever happens to it.
process.stdin.on('end', () => process.exit()).resume();
