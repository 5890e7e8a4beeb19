import type { Received } from '../../test/support/receiver.js';

/** What an endpoint has acknowledged, as it knows itself, and what must not be. */
export class Ledger {
  readonly acknowledged = new Set<number>();
  readonly problems: string[] = [];
  readonly #seen = new Set<number>();
  /** The last event of each goal, file and document. */
  readonly #last = new Map<string, number>();
  duplicates = 0;

  /** Notes a request when it comes. */
  receive({ sequence, attempt, body }: Received): void {
    const record = body.data.goal_id ?? body.data.file_id ?? body.data.document_id;
    if (this.#seen.has(sequence)) {
      this.duplicates += 1;
      if (attempt === 1) this.problems.push(`${sequence} came again, unmarked`);
      return;
    }
    const last = this.#last.get(record) ?? 0;
    if (sequence < last) this.problems.push(`${sequence} of ${record} came after ${last}`);
    if (last > 0 && !this.acknowledged.has(last))
      this.problems.push(`${sequence} came before ${last} was acknowledged`);
    this.#last.set(record, sequence);
    this.#seen.add(sequence);
  }
}
