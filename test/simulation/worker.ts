// A thread of `simulate`.
import { answerTasks } from '../worker-thread.js';
import { CORE } from './core-kind.js';
import { runSeeds, type SeedsTask } from './simulate.js';

answerTasks((seeds: SeedsTask) => runSeeds(CORE, seeds));
