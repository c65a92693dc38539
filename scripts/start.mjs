// Runs the mock for npm start, with the arguments that npm appends, and ends it with npm.
//
// npm starts a shell, and sends its signals to that shell. dash does not pass them on: it ends, and leaves this process
// with another parent. `exec` would replace the shell, but cmd.exe does not know it.
const PARENT_CHECK_MS = 200;

const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, PARENT_CHECK_MS).unref();

await import('../dist/cli/bin.js');
