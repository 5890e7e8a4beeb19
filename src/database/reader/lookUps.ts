import { currentPatience } from '../patience.js';
import type { Read } from './read.js';

/** A look-up of one row, by a key of which only `value` differs between rows. */
export interface RowLookUp {
  args: Record<string, unknown>;
  read: Read;
  value: string;
}

/** Look-ups that differ only in their values. */
export type LookUps = [RowLookUp, ...RowLookUp[]];

type Send = (lookUps: LookUps) => Promise<unknown[]>;

interface Group {
  name: string;
  request: object | undefined;
  lookUps: LookUps;
  rows: Promise<unknown[]>;
}

/**
 * Puts the look-ups of one request and tick together that ask the same of different rows, as Prisma does. `send` answers
 * those with one statement: a row, or null, for each.
 */
export function lookUpsTogether(send: Send): (lookUp: RowLookUp, position: number) => Promise<unknown> {
  let waiting: Group[] = [];

  function start(name: string, request: object | undefined, lookUp: RowLookUp): Group {
    const lookUps: LookUps = [lookUp];
    const rows = new Promise<unknown[]>((resolve) => {
      process.nextTick(() => {
        waiting = waiting.filter((group) => group.lookUps !== lookUps);
        resolve(send(lookUps));
      });
    });
    const group = { name, request, lookUps, rows };
    waiting.push(group);
    return group;
  }

  return async (lookUp, position) => {
    const { key, values } = lookUp.read;
    const name = `${key} ${JSON.stringify(values.toSpliced(position, 1), asText)}`;
    // What one request may still wait for is not another's.
    const request = currentPatience();
    const known = waiting.find((group) => group.name === name && group.request === request);
    const group = known ?? start(name, request, lookUp);
    const index = known ? group.lookUps.push(lookUp) - 1 : 0;
    return (await group.rows)[index];
  };
}

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
