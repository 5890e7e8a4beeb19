import fc from 'fast-check';
import { clientCount } from './workspace.js';

/** How a request is sent. */
export interface Manner {
  surface: 'REST' | 'GraphQL';
  nested: boolean;
  keyed: boolean;
  /** Whether it is sent once more where that is safe: after the answer, or at the same time to the other gateway. */
  again: 'never' | 'after' | 'beside';
  /** Milliseconds after which the client cuts its connection. */
  cutAfter: number | null;
  gateway: number;
}

/** What a client does. `what` chooses the record, `from` the version or the subscribers. */
export interface Step extends Manner {
  do: 'restore' | 'reopen' | 'delete' | 'recover' | 'several' | 'edit' | 'close' | 'revoke';
  what: number;
  from: number;
  /** Whether it expects the version before the one it knows. */
  stale: boolean;
  everyone: boolean;
}

interface Disaster {
  kind: 'gateway' | 'postgres' | 'backends';
  /** Milliseconds after the one before. */
  after: number;
  which: number;
}

export interface Plan {
  clients: Step[][];
  disasters: Disaster[];
}

const plain = { noNullPrototype: true };
const seldom = (weight: number) => fc.nat({ max: 99 }).map((dice) => dice < weight);
const oneOf = <T>(...weighted: [number, T][]) =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

export const step: fc.Arbitrary<Step> = fc.record(
  {
    do: oneOf<Step['do']>(
      [8, 'restore'],
      [5, 'reopen'],
      [3, 'delete'],
      [3, 'recover'],
      [3, 'several'],
      [3, 'edit'],
      [5, 'close'],
      [1, 'revoke'],
    ),
    what: fc.nat({ max: 3 }),
    from: fc.nat({ max: 255 }),
    stale: seldom(10),
    everyone: fc.boolean(),
    surface: oneOf<Step['surface']>([1, 'REST'], [1, 'GraphQL']),
    nested: seldom(25),
    keyed: fc.boolean(),
    again: oneOf<Step['again']>([4, 'never'], [1, 'after'], [1, 'beside']),
    cutAfter: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 40 }) }),
    gateway: fc.nat({ max: 1 }),
  },
  plain,
);

const disaster: fc.Arbitrary<Disaster> = fc.record(
  {
    kind: oneOf<Disaster['kind']>([3, 'backends'], [2, 'gateway'], [1, 'postgres']),
    after: fc.nat({ max: 400 }),
    which: fc.nat({ max: 1 }),
  },
  plain,
);

/** What the clients do beside each other, and what breaks meanwhile. */
export const plans: fc.Arbitrary<Plan> = fc.record(
  {
    clients: fc.array(fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }), {
      minLength: 1,
      maxLength: clientCount,
      size: 'max',
    }),
    disasters: fc.array(disaster, { maxLength: 2, size: 'max' }),
  },
  plain,
);
