export { AddressTaken, listen } from './listening.js';
export { exitInTime, untilStopped, untilUncaughtError } from './stopping.js';
export { Turns } from './turns.js';
