export { type Caller, type Decision, FairQueue, nobody } from './queue.js';
