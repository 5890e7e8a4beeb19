// The thread for texts, which platform/texts starts.
import { parentPort } from 'node:worker_threads';
import { textFunctions } from './functions.js';

parentPort?.on('message', ({ name, args, milliseconds }) => {
  const call = textFunctions[name as keyof typeof textFunctions] as (...given: unknown[]) => unknown;
  parentPort?.postMessage(call(performance.now() + milliseconds, ...args));
});
parentPort?.postMessage('ready');
