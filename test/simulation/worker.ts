// A thread of `simulate`.
import { answerTasks } from '../worker-thread.js';
import { runSeeds } from './simulate.js';

answerTasks(runSeeds);
