import { Prisma } from '../../database/generated/client/client.js';
import type { Attempt, Progress, PutAside } from './record.js';

export const attemptColumns = {
  event_id: ['text', (attempt: Attempt) => attempt.eventId],
  type: ['text', (attempt: Attempt) => attempt.type],
  sequence: ['bigint', (attempt: Attempt) => attempt.sequence ?? null],
  attempt: ['integer', (attempt: Attempt) => attempt.number],
  outcome: ['text', (attempt: Attempt) => attempt.outcome],
  status: ['integer', (attempt: Attempt) => attempt.status ?? null],
  reason: ['text', (attempt: Attempt) => attempt.reason ?? null],
  milliseconds: ['integer', (attempt: Attempt) => attempt.milliseconds],
  response: ['text', (attempt: Attempt) => attempt.response ?? null],
} as const;

export const putAsideColumns = {
  record: ['text', (entry: PutAside) => entry.record],
  sequence: ['bigint', (entry: PutAside) => entry.sequence],
  failures: ['integer', (entry: PutAside) => entry.failures],
  attempted: ['bigint', (entry: PutAside) => entry.attempted],
  pause: ['float8', (entry: PutAside) => entry.pause],
} as const;

export const doneColumns = {
  record: ['text', (entry: Progress['done'][number]) => entry.record],
  through: ['bigint', (entry: Progress['done'][number]) => entry.through],
} as const;

/** Objects as rows of a statement, whose text does not depend on their number. */
export function unnested<Entry>(
  entries: Entry[],
  columns: Record<string, readonly [string, (entry: Entry) => unknown]>,
): Prisma.Sql {
  const lists = Object.values(columns).map(([type, read]) => Prisma.sql`${entries.map(read)}::${Prisma.raw(type)}[]`);
  const names = Object.entries(columns).map(([name, [type]]) => `${name} ${type}`);
  return Prisma.sql`(SELECT * FROM unnest(${Prisma.join(lists)}) AS entry(${Prisma.raw(names.map((name) => name.split(' ')[0]).join(', '))}))`;
}
