/** About what Node takes for a chunk of a body besides its bytes. A client decides how short its chunks are. */
const perChunk = 256;

/** The memory of one body. */
interface BodyShare {
  /** Counts a chunk, and returns whether there is memory for it. Whoever is refused keeps no more of the body. */
  take(bytes: number): boolean;
  /** Called once, when the body is complete or given up. */
  close(): void;
}

/** Bounds the memory of the bodies that are being received, as these hold none of the slots for requests. */
export class BodyMemory {
  readonly #bytes: number;
  #taken = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  open(): BodyShare {
    let share = 0;
    return {
      take: (bytes) => {
        share += bytes + perChunk;
        this.#taken += bytes + perChunk;
        return this.#taken <= this.#bytes;
      },
      close: () => {
        this.#taken -= share;
      },
    };
  }
}
