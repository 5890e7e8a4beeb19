const capacity = 10_000;

/** Keys that expire, whatever the clock of the machine does meanwhile. Beyond its capacity it drops the oldest key. */
export class ExpiringKeys {
  readonly #expiresAt = new Map<string, number>();

  add(key: string, milliseconds: number): void {
    this.#expiresAt.delete(key);
    this.#expiresAt.set(key, performance.now() + milliseconds);
    const [oldest] = this.#expiresAt.keys();
    if (this.#expiresAt.size > capacity && oldest !== undefined) this.#expiresAt.delete(oldest);
  }

  /** Milliseconds until the key expires; 0 or less if it has expired or was never added. */
  remaining(key: string): number {
    const remaining = (this.#expiresAt.get(key) ?? 0) - performance.now();
    if (remaining <= 0) this.#expiresAt.delete(key);
    return remaining;
  }
}
