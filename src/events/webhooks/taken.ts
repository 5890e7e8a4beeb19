import { type Event, type EventRow, eventOf } from '../event.js';

/** Something to send, and what is known of it. */
export interface Item {
  /** What it waits for, and what waits for it: a goal, file or document; for what is sent once, only itself. */
  record: string;
  /** Undefined for a ping. */
  event: Event | undefined;
  /** Undefined for an event that is sent for the first time. */
  retry: { id: string; once: boolean; failures: number; attempted: number } | undefined;
  /** Whether it may have been sent before. */
  mayHaveBeenSent: boolean;
  /** Seconds since the event was recorded. */
  age: number;
  /** Whether it is of a draft, which nobody hears of. */
  isDraft: boolean;
}

export interface Taken {
  url: string;
  generation: number;
  hasPrevious: boolean;
  position: number;
  /** How far events had been attempted before. */
  attempted: number;
  failures: number;
  waits: number;
  isFailing: boolean;
  /** Whether it has only failed for five days. */
  isHopeless: boolean;
  /** Seconds since 1970 by the clock of the database: that of a gateway may be wrong. */
  clock: number;
  /** Where its position is once all items are settled. */
  reach: number;
  items: Item[];
  /** Records of which nothing is left to send, because it was purged or is not wanted any more. */
  emptied: { record: string; through: number }[];
}

/** What the statement returns: the webhook with each item, or alone. */
export type TakenRow = Omit<Taken, 'position' | 'attempted' | 'reach' | 'items' | 'emptied'> & {
  position: bigint;
  webhookAttempted: bigint;
  reach: bigint;
  record: string | null;
  retryId: string | null;
  retrySequence: bigint | null;
  retryAttempted: bigint | null;
  retryFailures: number;
  once: boolean;
  age: number | null;
} & { [Column in keyof EventRow]: EventRow[Column] | null };

export function takenFrom(companyId: string, first: TakenRow, rows: TakenRow[]): Taken {
  const { url, generation, hasPrevious, failures, waits, isFailing, isHopeless, clock } = first;
  const numbers = {
    position: Number(first.position),
    attempted: Number(first.webhookAttempted),
    reach: Number(first.reach),
  };
  const items: Item[] = [];
  const emptied: Taken['emptied'] = [];
  for (const row of rows) {
    if (row.record === null) continue;
    const isPing = row.once && row.retrySequence === null;
    if (row.id === null && !isPing) {
      emptied.push({ record: row.record, through: Number(row.retrySequence) });
      continue;
    }
    const event = row.id === null ? undefined : eventOf(companyId, row as EventRow);
    items.push(itemOf(row, event, numbers.attempted));
  }
  const webhook = { url, generation, hasPrevious, failures, waits, isFailing, isHopeless, clock };
  return { ...webhook, ...numbers, items, emptied };
}

function itemOf(row: TakenRow, event: Event | undefined, attempted: number): Item {
  const { record, retryId, once, retryFailures, retryAttempted, retrySequence, age, isDraft } = row;
  const base = { record: record as string, event, age: age ?? 0, isDraft: isDraft === true };
  const sequence = event?.sequence ?? 1;
  if (retryId === null) return { ...base, retry: undefined, mayHaveBeenSent: sequence <= attempted };
  const isOldest = event === undefined || event.sequence === Number(retrySequence);
  const failures = isOldest ? retryFailures : 0;
  const retry = { id: retryId, once, failures, attempted: Number(retryAttempted) };
  const mayHaveBeenSent = sequence <= Number(retryAttempted) || (once && event !== undefined && sequence <= attempted);
  return { ...base, retry, mayHaveBeenSent };
}
