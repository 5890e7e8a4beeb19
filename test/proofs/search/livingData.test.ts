import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedOf } from '../../support/seedOf.js';
import { createWorld } from '../../support/world.js';
import {
  type Action,
  interleavings,
  ModelHistory,
  problemsOf,
  randomActions,
  shortened,
} from './livingData/histories.js';
import { type Rule, rules } from './livingData/model.js';
import { RealHistories, type State } from './livingData/realHistory.js';

const histories = Number(process.env.LIVING_DATA_HISTORIES ?? 10_000);
const firstSeed = seedOf('LIVING_DATA_SEED');

/** The history of a number: some are short, some long. */
const actionsOf = (index: number) => randomActions(firstSeed + index, 4 + (index % 80));

const printed = (actions: readonly Action[]) => actions.map((action) => JSON.stringify(action)).join('\n');

function requireConverged(actions: readonly Action[]): void {
  if (problemsOf(actions).length === 0) return;
  const short = shortened(actions, (fewer) => problemsOf(fewer).length > 0);
  throw new Error(`${printed(short)}\n${problemsOf(short).join('\n')}`);
}

/** The steps of people, operations, the exporter and the reader, for one record that both sides change. */
const contested: [string, Action[][]][] = [
  [
    'a goal',
    [
      [
        { do: 'close', id: 'g1', closed: '2026-02-01' },
        { do: 'close', id: 'g1', closed: null },
      ],
      [{ do: 'reopen', id: 'g1' }, { do: 'number' }],
    ],
  ],
  [
    'a file, whose folder goes',
    [
      [
        { do: 'hide', id: 'f1' },
        { do: 'remove', kind: 'folders', id: 'd1' },
      ],
      [{ do: 'delete', id: 'f1' }, { do: 'number' }],
    ],
  ],
  [
    'a document',
    [
      [
        { do: 'edit', id: 'k1', text: 'e1' },
        { do: 'edit', id: 'k1', text: 'e2' },
      ],
      [{ do: 'restore', id: 'k1', from: 1 }, { do: 'number' }],
    ],
  ],
];
const exporter: Action[] = [
  { do: 'send' },
  { do: 'deliver', index: 0 },
  { do: 'send' },
  { do: 'acknowledge', index: 0 },
  { do: 'deliver', index: 0 },
];
const reader: Action[] = [{ do: 'take', skips: 0 }, { do: 'takeAndDie' }];

describe('the model of living data, after whatever history,', () => {
  test.each(contested)('agrees without loss in every order of a few steps on %s', (_case, sides) => {
    let count = 0;
    for (const actions of interleavings([...sides, exporter, reader])) {
      requireConverged(actions);
      count += 1;
    }
    // 11 steps of four sides.
    expect(count).toBe(41_580);
  });

  test(`agrees without loss after random steps on all records (LIVING_DATA_SEED=${firstSeed})`, () => {
    let refused = 0;
    for (let index = 0; index < histories; index += 1) {
      const actions = actionsOf(index);
      requireConverged(actions);
      const history = new ModelHistory();
      for (const action of actions) history.play(action);
      history.settle();
      refused += history.refused;
    }
    console.log(`${histories} histories: ${refused} files refused`);
    expect(refused).toBeGreaterThan(histories / 100);
  });

  test.each(Object.entries(rules))('does not without the rule %s: %s', (rule) => {
    const without = [rule as Rule];
    for (let index = 0; index < 50_000; index += 1) {
      const actions = actionsOf(index);
      if (problemsOf(actions, without).length === 0) continue;
      const short = shortened(actions, (fewer) => problemsOf(fewer, without).length > 0);
      console.log(
        `history ${index + 1}, without ${rule}:\n${printed(short)}\n${problemsOf(short, without).join('\n')}`,
      );
      return;
    }
    throw new Error(`every history converges without ${rule}: nothing shows what it is for`);
  });
});

describe('the gateway and the application of the documents, each with its own database,', () => {
  const seconds = Number(process.env.LIVING_DATA_SECONDS ?? 20);
  let real: RealHistories;
  beforeAll(async () => {
    real = await RealHistories.open(await createWorld());
  });
  afterAll(() => real.close());

  const stateOf = ({ gateway, application }: ModelHistory): State => ({
    gateway: { records: gateway.records },
    application: {
      records: application.records,
      sequence: application.sequence,
      changes: [...application.changes.keys()].sort(),
    },
  });

  test(
    `have what the model has after every step (LIVING_DATA_SEED=${firstSeed})`,
    async () => {
      const started = performance.now();
      let [index, steps] = [0, 0];
      for (; performance.now() - started < seconds * 1000; index += 1) {
        await real.begin();
        const model = new ModelHistory();
        const played: Action[] = [];
        for (const action of actionsOf(index)) {
          played.push(action);
          model.play(action);
          await real.play(action);
          expect(await real.state(), `history ${index}:\n${printed(played)}`).toEqual(stateOf(model));
          steps += 1;
        }
        expect(real.refused).toBe(model.refused);
      }
      console.log(`${index} histories, ${steps} steps from LIVING_DATA_SEED=${firstSeed}`);
    },
    (seconds + 60) * 1000,
  );
});
