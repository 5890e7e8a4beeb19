// A thread for test/serving/textWorker.test.ts.
import { parentPort } from 'node:worker_threads';

const functions: Record<string, (argument: number) => unknown> = {
  echo: (value) => value,
  spin() {
    for (;;);
  },
  block: (milliseconds) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  fill() {
    const all: unknown[] = [];
    for (;;) all.push(new Array(100_000).fill(all));
  },
  fail() {
    throw new Error('a fault');
  },
};

parentPort?.on('message', ({ name, args }) => parentPort?.postMessage(functions[name]?.(args[0])));
parentPort?.postMessage('ready');
