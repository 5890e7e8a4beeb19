const capacity = 10_000;

/** Keys that expire. Beyond its capacity it drops the oldest key. */
export class ExpiringKeys {
  readonly #expiresAt = new Map<string, number>();
  readonly #clock: () => Date;

  constructor(clock: () => Date) {
    this.#clock = clock;
  }

  add(key: string, milliseconds: number): void {
    this.#expiresAt.delete(key);
    this.#expiresAt.set(key, this.#clock().getTime() + milliseconds);
    const [oldest] = this.#expiresAt.keys();
    if (this.#expiresAt.size > capacity && oldest !== undefined) this.#expiresAt.delete(oldest);
  }

  /** Milliseconds until the key expires; 0 or less if it has expired or was never added. */
  remaining(key: string): number {
    const remaining = (this.#expiresAt.get(key) ?? 0) - this.#clock().getTime();
    if (remaining <= 0) this.#expiresAt.delete(key);
    return remaining;
  }
}
