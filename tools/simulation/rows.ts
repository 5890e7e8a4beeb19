import type { Caller } from '../../src/platform/fairness/shares.js';
import type { Load } from './simulation.js';

/** Somebody else, who asks one cheap query at a time. */
export const victim: Load = {
  clients: 1,
  caller: () => ({ id: 'victim', flow: 'other company' }),
  work: { pieces: [0.5, 0.2], statements: [0.8] },
  pause: 100,
};

const ofOneToken = (): Caller => ({ id: 'token', flow: 'greedy company' });
const ofTenTokens = (client: number): Caller => ({ id: `token ${client % 10}`, flow: 'greedy company' });
const times = (count: number, value: number) => Array<number>(count).fill(value);

/**
 * The attacks of tools/attacks that the scheduler decides, by what their requests need. A response yields every 5 ms.
 * Costs are those of a machine with 2 cores.
 */
export const rows: Record<string, Load> = {
  busy: {
    clients: 10,
    caller: ofOneToken,
    work: { pieces: times(8, 5), statements: [12] },
    pause: 1_000,
    kind: 'long response',
  },
  burst: { clients: 500, caller: ofOneToken, work: { pieces: [0.5, 0.2], statements: [0.8] }, pause: 2_000 },
  textFilters: { clients: 30, caller: ofOneToken, work: { pieces: [2], statements: times(28, 18) }, pause: 0 },
  tenTokens: { clients: 30, caller: ofTenTokens, work: { pieces: [2], statements: times(28, 18) }, pause: 0 },
  potentialSubscribers: { clients: 20, caller: ofOneToken, work: { pieces: times(4, 5), statements: [60] }, pause: 0 },
  manyOperations: { clients: 30, caller: ofOneToken, work: { pieces: times(6, 5), statements: [] }, pause: 0 },
  longChanges: { clients: 20, caller: ofOneToken, work: { pieces: [3], statements: times(10, 25) }, pause: 0 },
  overTheLimit: {
    clients: 100,
    caller: ofOneToken,
    work: { pieces: [0.15], statements: [] },
    pause: 0,
    kind: 'refusal',
  },
  endlessHints: {
    clients: 160,
    caller: ofOneToken,
    work: { pieces: [1.5], statements: [] },
    pause: 0,
    kind: 'delivery',
  },
};
