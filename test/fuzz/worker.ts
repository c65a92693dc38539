// A thread of `fuzz`.
import { answerTasks } from '../worker-thread.js';
import { runTask } from './wire.js';

answerTasks(runTask);
