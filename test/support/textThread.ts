// A thread for test/serving/textWorker.test.ts.
import { parentPort } from 'node:worker_threads';

const functions: Record<string, (argument: number) => unknown> = {
  echo: (value) => value,
  spin(milliseconds) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return 'spun';
  },
  fill() {
    const all: unknown[] = [];
    for (;;) all.push(Array.from({ length: 1_000 }, (_, n) => ({ n })));
  },
  fail() {
    throw new Error('a fault');
  },
};

parentPort?.on('message', ({ name, args }) => parentPort?.postMessage(functions[name]?.(args[0])));
parentPort?.postMessage('ready');
