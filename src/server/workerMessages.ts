import type { DemoKey } from '../pages/demoKey.js';
import type { Figures } from '../telemetry/metrics.js';

/** The tokens of the demo workspace. */
export interface DemoTokens {
  write: string;
  readOnly: string;
}

/** What a gateway serves, apart from its settings. */
export interface Job {
  /** The database, which may be the embedded one. */
  url: string;
  demo: { tokens: DemoTokens; secrets: DemoKey['secrets'] | undefined; webhookKey: string } | undefined;
}

/** What the primary process tells a worker. */
export type ToWorker =
  /** `worker` is its number, from 1; the one that takes the place of a worker that has ended gets the same. */
  { kind: 'start'; worker: number; job: Job } | { kind: 'figures' } | { kind: 'stop' };

/** What a worker tells the primary process. */
export type FromWorker =
  | { kind: 'started' }
  /** It serves, at this address. */
  | { kind: 'serves'; base: string }
  | { kind: 'figures'; figures: Figures };
