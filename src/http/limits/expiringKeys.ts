const capacity = 10_000;

/** Keys that are good for some milliseconds. At its capacity it forgets the oldest first. */
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

  /** Milliseconds that the key is still good for; 0 or less when it is not. */
  remaining(key: string): number {
    const remaining = (this.#expiresAt.get(key) ?? 0) - this.#clock().getTime();
    if (remaining <= 0) this.#expiresAt.delete(key);
    return remaining;
  }
}
