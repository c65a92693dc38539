// The port of a server of the benchmark, and its end.

export const port = Number(process.argv[2]);
export const host = '127.0.0.1';

// The benchmark holds the other end of this pipe, so the server ends with it, even if the benchmark is killed.
process.stdin.on('end', () => process.exit()).resume();
