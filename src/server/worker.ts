import type { Worker } from 'node:cluster';
import type { FromWorker, ToWorker } from './workerMessages.js';

/** A worker could not start. It has said why itself. */
export class WorkerFailed extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('A worker could not start.');
    this.exitCode = exitCode;
  }
}

/** How a worker ended. */
export interface Ending {
  code: number | null;
  signal: string | null;
}

/** How long a scrape waits for a worker that is busy. */
const figuresMilliseconds = 2_000;

/** Has a worker report its figures, and waits for them, but not for long. */
export async function askForFigures(worker: Worker): Promise<void> {
  if (!worker.isConnected()) return;
  const reported = new Promise<void>((resolve) => {
    const onMessage = ({ kind }: FromWorker) => kind === 'figures' && done();
    const done = () => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('exit', done);
      resolve();
    };
    const timer = setTimeout(done, figuresMilliseconds);
    worker.on('message', onMessage).once('exit', done);
  });
  tellWorker(worker, { kind: 'figures' });
  await reported;
}

/** Once it has exited, and every message that it sent before has arrived. */
export async function endOf(worker: Worker): Promise<Ending> {
  const disconnected = new Promise<void>((resolve) => {
    worker.once('disconnect', resolve);
  });
  const ending = await new Promise<Ending>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
  });
  if (worker.isConnected()) await disconnected;
  return ending;
}

/** Sends a message, unless the worker is gone. */
export function tellWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}
