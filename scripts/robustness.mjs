// npm run robustness [-- --only name]: runs the commands of docs/evidence/robustness.md one after another, and prints their figures.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { COMMANDS } from './robustness-commands.mjs';

const { values: options } = parseArgs({ options: { only: { type: 'string' } } });
const commands = COMMANDS.filter(({ name }) => options.only === undefined || name === options.only);
if (commands.length === 0)
  throw new TypeError(`--only must be one of ${COMMANDS.map(({ name }) => name).join(', ')}.`);

for (const { name, command, needs } of commands)
  console.log(`${name}: ${command}${needs ? ` (needs ${needs})` : ''}`);

let isInterrupted = false;

/** Runs a command. Resolves to its exit code and the lines that match. */
async function run({ command, figures }) {
  // A process group of its own: a signal ends the command with all that it has started.
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const interrupt = () => {
    isInterrupted = true;
    process.kill(-child.pid, 'SIGINT');
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    output += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  return { code, lines: output.split('\n').filter((line) => figures.test(line)) };
}

const summary = [];
for (const command of commands) {
  if (isInterrupted) break;
  console.log(`\n== ${command.name}: ${command.command}`);
  const start = Date.now();
  const { code, lines } = await run(command);
  if (code !== 0) process.exitCode = 1;
  const minutes = ((Date.now() - start) / 60_000).toFixed(1);
  summary.push(
    `${code === 0 ? 'passed' : 'FAILED'} ${command.name}, exit ${code}, ${minutes} min: ${command.command}`,
  );
  summary.push(...lines.map((line) => `    ${line.trim()}`));
}
console.log(`\n== Summary\n${summary.join('\n')}`);
