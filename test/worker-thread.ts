// Threads that run the same function on one task after another.
import { parentPort, Worker } from 'node:worker_threads';

/** Starts a thread with a file that calls `answerTasks`. It runs one task at a time. */
export function startWorker<Task, Result>(file: URL) {
  const worker = new Worker(file);
  const run = (task: Task) =>
    new Promise<Result>((resolve, reject) => {
      worker.removeAllListeners().on('message', resolve).on('error', reject);
      worker.postMessage(task);
    });
  return { run, stop: () => worker.terminate() };
}

/** Runs each task that the thread gets, and sends its result back. */
export function answerTasks<Task, Result>(run: (task: Task) => Promise<Result>): void {
  parentPort?.on('message', async (task: Task) => parentPort?.postMessage(await run(task)));
}
