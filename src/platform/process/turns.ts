/** Lets so many run at a time, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(run: () => Promise<T>): Promise<T> {
    await this.begin();
    try {
      return await run();
    } finally {
      this.end();
    }
  }

  /** Waits for a turn, which lasts until {@link end}. */
  async begin(): Promise<void> {
    if (!this.tryBegin()) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  /** Returns whether there is a turn at once. */
  tryBegin(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
