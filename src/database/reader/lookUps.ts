import type { Read } from './read.js';

/** A look-up of one row, by a key of which only `value` differs between rows. */
export interface LookUp {
  args: Record<string, unknown>;
  read: Read;
  value: string;
}

interface Waiting {
  lookUp: LookUp;
  resolve: (row: unknown) => void;
  reject: (error: unknown) => void;
}

type Send = (lookUps: LookUp[]) => Promise<unknown[]>;

/**
 * Puts the look-ups of one tick together that ask the same of different rows, as Prisma does. `send` answers those with
 * one statement: a row, or null, for each.
 */
export function lookUpsTogether(send: Send): (lookUp: LookUp, position: number) => Promise<unknown> {
  let waiting = new Map<string, Waiting[]>();

  function flush(): void {
    const groups = [...waiting.values()];
    waiting = new Map();
    for (const group of groups) {
      send(group.map(({ lookUp }) => lookUp)).then(
        (rows) => group.forEach(({ resolve }, index) => void resolve(rows[index])),
        (error) => group.forEach(({ reject }) => void reject(error)),
      );
    }
  }

  return (lookUp, position) =>
    new Promise((resolve, reject) => {
      const { key, values } = lookUp.read;
      const name = `${key} ${JSON.stringify(values.toSpliced(position, 1), asText)}`;
      if (waiting.size === 0) process.nextTick(flush);
      const group = waiting.get(name) ?? [];
      group.push({ lookUp, resolve, reject });
      waiting.set(name, group);
    });
}

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
