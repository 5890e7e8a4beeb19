import type { ServerResponse } from 'node:http';

/** The requests that are not answered yet. */
export class PendingResponses {
  readonly #answers = new Set<ServerResponse>();
  #onNone = () => {};

  add(res: ServerResponse): void {
    // Its client is gone already, and nothing will say so again.
    if (res.closed) return;
    this.#answers.add(res);
    res.once('close', () => {
      this.#answers.delete(res);
      if (this.#answers.size === 0) this.#onNone();
    });
  }

  /** Resolves when there is none, or after that time. */
  async untilNone(milliseconds: number): Promise<void> {
    if (this.#answers.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#onNone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
