const capacity = 10_000;

/** What was so a moment ago, and for how many milliseconds it still is; forgets the oldest first. */
export class Recent {
  readonly #until = new Map<string, number>();

  keep(key: string, milliseconds: number): void {
    this.#until.delete(key);
    this.#until.set(key, Date.now() + milliseconds);
    const [oldest] = this.#until.keys();
    if (this.#until.size > capacity && oldest !== undefined) this.#until.delete(oldest);
  }

  left(key: string): number {
    const left = (this.#until.get(key) ?? 0) - Date.now();
    if (left <= 0) this.#until.delete(key);
    return left;
  }
}
