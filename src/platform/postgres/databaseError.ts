// The types of the package include this file as it is: it imports nothing.

/** A database problem that the operator can solve. The message says how, and is shown without a stack. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
