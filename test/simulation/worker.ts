// A thread of `simulate`: runs the seeds of each message, and answers with what was run.
import { parentPort } from 'node:worker_threads';
import { runSeeds, type Seeds } from './simulate.js';

parentPort?.on('message', async (seeds: Seeds) => {
  parentPort?.postMessage(await runSeeds(seeds));
});
