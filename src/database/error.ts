/** A database problem the operator can solve: the message says how, and is shown without a stack. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
