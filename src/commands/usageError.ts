/** Wrong usage of a command, which prints the message and exits with 2. */
export class UsageError extends Error {}
