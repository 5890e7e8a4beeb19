/** A statement failed. The message is PostgreSQL's, or the driver's if it did not get so far. */
class StatementFailure extends Error {
  override readonly name = 'StatementFailure';
  /** The SQLSTATE. */
  readonly code: string | undefined;
  /** As Prisma's adapter sorts failures, for those that have no SQLSTATE. */
  readonly kind: string | undefined;

  constructor({ originalMessage, originalCode, kind }: Record<string, string>, message: string) {
    super(originalMessage ?? message);
    this.code = originalCode;
    this.kind = kind;
  }
}

/** What the adapter says in a form of its own is a {@link StatementFailure}. */
export async function told<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'DriverAdapterError') throw error;
    throw new StatementFailure(error.cause as Record<string, string>, error.message);
  }
}
