import { type Caller, nobody } from './caller.js';

/** For how long a caller counts as one who asks, in milliseconds. */
const remembered = 10_000;

/** Who has asked lately. */
export class RecentCallers {
  readonly #now: () => number;
  readonly #tokens = new Latest();
  readonly #groups = new Latest();
  readonly #companies = new Latest();

  constructor(now: () => number) {
    this.#now = now;
  }

  note(caller: Caller): void {
    if (caller === nobody) return;
    const { id, group } = caller;
    this.#tokens.note(id, this.#now());
    this.#groups.note(group, this.#now());
    if (group !== id) this.#companies.note(group, this.#now());
  }

  /** Whether anybody else has, also of the same company. */
  hasOtherThan({ id }: Caller): boolean {
    return this.#isRecent(this.#tokens.otherThan(id));
  }

  /** Whether anybody else has who is not of the company. */
  hasOutside({ group }: Caller): boolean {
    return this.#isRecent(this.#groups.otherThan(group));
  }

  /** Whether another company has: somebody with a token. */
  hasOtherCompany({ group }: Caller): boolean {
    return this.#isRecent(this.#companies.otherThan(group));
  }

  #isRecent(at: number): boolean {
    return at > this.#now() - remembered;
  }
}

/** When something was there last, and when something else was. */
class Latest {
  #last = { key: '', at: Number.NEGATIVE_INFINITY };
  #other = this.#last;

  note(key: string, at: number): void {
    if (key !== this.#last.key) this.#other = this.#last;
    this.#last = { key, at };
  }

  otherThan(key: string): number {
    return (key === this.#last.key ? this.#other : this.#last).at;
  }
}
