/** When something was there last, and when something else was. */
export class RecentKeys {
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
