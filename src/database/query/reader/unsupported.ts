/** The reader leaves this call to Prisma. */
export class Unsupported extends Error {
  override readonly name = 'Unsupported';
}
