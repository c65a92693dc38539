// A thread of `simulate`.
import { answerTasks } from '../worker-thread.js';
import { CORE } from './core-kind.js';
import { PAGES } from './page-kind.js';
import { runSeeds, type SeedsTask } from './simulate.js';

answerTasks(({ kind, ...seeds }: SeedsTask) =>
  kind === 'pages' ? runSeeds(PAGES, seeds) : runSeeds(CORE, seeds),
);
