// Part `compare`: the CPU time of `handle` in this checkout and in another revision of it, in turns.
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './postgres-server.mjs';
import { pinned, runCommand } from './processes.mjs';
import { medianOf, orderOf, progress, ratioOf, tableOf } from './rounds.mjs';

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
/** Both revisions run these files of this checkout, so that they get the same requests. */
const FILES = ['call-handle.mjs', 'data.mjs', 'rounds.mjs', 'service.mjs'];
const SETTINGS = ['autovacuum=off', 'synchronous_commit=off', 'jit=off'];

export async function run(context) {
  const { revision, rounds, signal } = context;
  const commit = await findCommit(revision, signal);
  const builds = [
    { name: revision, folder: await buildRevision(commit, context), rounds: [] },
    { name: 'this checkout', folder: CHECKOUT, rounds: [] },
  ];
  const { url, schema } = await openDatabase(SETTINGS, context);
  const options = JSON.stringify({ url, schema });
  for (let round = 0; round < rounds; round++)
    for (const build of orderOf(builds, round)) {
      progress(`round ${round + 1} of ${rounds}: ${build.name}`);
      build.rounds.push(JSON.parse(await callHandle(build, options, signal)));
    }
  progress('');
  const [old, current] = builds;
  const rows = Object.entries(old.rounds[0]).flatMap(([storage, requests]) =>
    Object.keys(requests).map((name) => {
      const timesOf = (build) => build.rounds.map((results) => results[storage][name]);
      const [oldTimes, times] = [timesOf(old), timesOf(current)];
      const { median, range } = ratioOf(times, oldTimes);
      const least = Math.min(...times) / Math.min(...oldTimes);
      return [
        `${storage}: ${name}`,
        medianOf(oldTimes).toFixed(1),
        medianOf(times).toFixed(1),
        median.toFixed(2),
        range,
        least.toFixed(2),
      ];
    }),
  );
  const columns = [`${revision}, µs`, 'this, µs', `this / ${revision}`, 'min–max', 'least / least'];
  console.log(`\n${tableOf(['CPU time of Node', ...columns], rows)}`);
}

async function findCommit(revision, signal) {
  const args = ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`];
  try {
    return (await runCommand(['git', args], { folder: CHECKOUT, signal })).trim();
  } catch (error) {
    if (error.code !== 1) throw error;
    throw new Error(`${revision} is not a revision of this repository`);
  }
}

/** Resolves to what the process of a build prints. */
async function callHandle({ name, folder }, options, signal) {
  const args = [join(folder, 'bench/call-handle.mjs'), options];
  try {
    return await runCommand(pinned(0, process.execPath, args), { signal });
  } catch (error) {
    throw new Error(`${name} does not answer the requests of this benchmark: ${printedBy(error)}`);
  }
}

/** Returns the beginning of what a failed command printed. */
function printedBy({ stdout = '', stderr = '', message }) {
  return `${stdout}${stderr}`.trim().slice(0, 1000) || message;
}

/** Resolves to the folder of the revision, built with the packages of this checkout. */
async function buildRevision(commit, { folder, revision, signal }) {
  const target = join(folder, 'revision');
  const archive = join(folder, 'revision.tar');
  await mkdir(join(target, 'bench'), { recursive: true });
  await runCommand(['git', ['archive', '--output', archive, commit]], { folder: CHECKOUT, signal });
  await runCommand(['tar', ['-xf', archive, '-C', target]], { signal });
  await symlink(join(CHECKOUT, 'node_modules'), join(target, 'node_modules'));
  progress(`build of ${revision}`);
  try {
    await runCommand(['npm', ['run', '--silent', 'build']], { folder: target, signal });
  } catch (error) {
    throw new Error(`${revision} does not build with the packages of this checkout: ${printedBy(error)}`);
  }
  for (const name of FILES) await copyFile(join(CHECKOUT, 'bench', name), join(target, 'bench', name));
  return target;
}
