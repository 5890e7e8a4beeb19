/** The pieces of a body that goes on. */
export interface LiveBody {
  /** The next piece, which is asked for when the client has taken the one before; undefined at the end. Never rejects. */
  next(): Promise<string | undefined>;
  /** Called once, when the response has ended or its client is gone, also while a piece is awaited. */
  close(): void;
}

/** The same body, with each of its pieces made within `step`. */
export const eachPiece = (
  live: LiveBody,
  step: (make: () => Promise<string | undefined>) => Promise<string | undefined>,
): LiveBody => ({
  next: () => step(() => live.next()),
  close: () => live.close(),
});
