import type { RequestObserver } from '../postgres/index.js';
import { type Caller, FairQueue } from './shares.js';

interface Waiting {
  since: number;
  begin: () => void;
}

/** Waits until the response may become long. */
type BecomeLong = () => Promise<void>;

/**
 * A process builds one long response at a time: together they would take more memory than there is, and keep everybody
 * else waiting. Callers take turns. Decisions: "Query cost".
 */
export class LongResponses {
  readonly #shares = new FairQueue<Waiting>(1);

  /** Builds a response, whose turn, if it needs one, ends when it is built. */
  async build<T>(
    caller: Caller,
    build: (becomeLong: BecomeLong) => Promise<T>,
    observer?: RequestObserver,
  ): Promise<T> {
    let turn: Promise<void> | undefined;
    const becomeLong = () => {
      turn ??= this.#wait(caller, observer);
      return turn;
    };
    try {
      return await build(becomeLong);
    } finally {
      turn?.then(() => {
        this.#shares.leave(caller);
        this.#shares.next()?.begin();
      });
    }
  }

  async #wait(caller: Caller, observer: RequestObserver | undefined): Promise<void> {
    if (this.#shares.take(caller)) return;
    observer?.beginWait();
    await new Promise<void>((begin) => this.#shares.wait(caller, { since: performance.now(), begin }));
    observer?.endWait();
  }
}
