// `npm run proof -- model`: checks the model of the protocol with Spin, then each of its mistakes, which Spin must find.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modelFile = (name) => fileURLToPath(new URL(`../test/model/${name}.pml`, import.meta.url));

/** The scenarios of the models, each with the mistakes that it must show. */
const SCENARIOS = {
  'one link, two submissions, delivery': {
    model: 'protocol',
    defines: [],
    mistakes: [
      'NO_ROW_LOCK',
      'NO_RECHECK',
      'EVENT_LATER',
      'DELIVER_FIRST',
      'SETTLE_FIRST',
      'FAILURE_SETTLES',
      'NO_LEASE',
      'LATE_POSTPONE',
      'SESSIONS_FIRST',
    ],
  },
  'two links, one reader': {
    model: 'protocol',
    defines: ['ORDER'],
    mistakes: ['NO_SEQUENCE_LOCK', 'SESSIONS_FIRST'],
  },
  'four answers to one link, unlock or revocation': {
    model: 'link',
    defines: [],
    mistakes: ['COMPARE_FIRST', 'SPLIT_COUNT', 'RETURN_WRONG', 'NO_ANSWER'],
  },
  'three requests with one Idempotency-Key, deletion': {
    model: 'link',
    defines: ['CREATE'],
    mistakes: ['NO_UNIQUE_KEY', 'KEEP_KEY'],
  },
  'moments and ends of one link, two sweeps': {
    model: 'link',
    defines: ['LIFE'],
    mistakes: ['NO_POSITION', 'DECLINE_ALWAYS', 'TELL_ENDED', 'SPLIT_DUE', 'FORGET_END'],
  },
};

const missing = ['spin', 'cc'].filter((program) => spawnSync(program, ['-V']).error !== undefined);
if (missing.length > 0) {
  console.error(`The model needs ${missing.join(' and ')}: apt-get install spin gcc, or brew install spin.`);
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'claimlink-model-'));
// The running program gets the signal as well, and ends: then `run` throws, and the folder is deleted.
process.on('SIGINT', () => {});

/** Runs a program in the temporary folder and returns its output. */
function run(program, ...args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`${program} failed: ${error ?? stdout + stderr}`);
  return stdout;
}

/** Checks all runs of the model, and returns the number of states and the assertion that does not hold. */
function check(model, defines) {
  run('spin', '-a', ...defines.map((name) => `-D${name}`), modelFile(model));
  run('cc', '-O2', '-DSAFETY', '-DCOLLAPSE', '-o', 'pan', 'pan.c');
  const output = run('./pan', '-m100000');
  if (/max search depth too small|out of memory/.test(output)) throw new Error(output);
  const broken = /pan:\d+: (?:assertion violated (.*) \(at depth|invalid end state)/.exec(output);
  return {
    states: Number(/(\d+) states, stored/.exec(output)?.[1]),
    broken: broken?.[1]?.trim() ?? broken?.[0],
  };
}

let failed = false;
try {
  for (const [name, { model, defines, mistakes }] of Object.entries(SCENARIOS)) {
    const { states, broken } = check(model, defines);
    console.log(`${name}: ${broken ? `BROKEN: ${broken}` : 'all promises hold'}, ${states} states`);
    if (broken) failed = true;
    for (const mistake of mistakes) {
      const counterexample = check(model, [...defines, mistake]).broken;
      console.log(`  ${mistake}: ${counterexample ? `found: ${counterexample}` : 'NOT FOUND'}`);
      if (!counterexample) failed = true;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
