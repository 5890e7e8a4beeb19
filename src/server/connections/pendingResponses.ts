import type { ServerResponse } from 'node:http';

/** The requests that have no response yet. */
export class PendingResponses {
  readonly #responses = new Set<ServerResponse>();
  #onNone = () => {};

  add(res: ServerResponse): void {
    // Its client is gone already, and nothing will say so again.
    if (res.closed) return;
    this.#responses.add(res);
    res.once('close', () => {
      this.#responses.delete(res);
      if (this.#responses.size === 0) this.#onNone();
    });
  }

  /** Resolves when there is none, or after that time. */
  async untilNone(milliseconds: number): Promise<void> {
    if (this.#responses.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
