/** The command was called with something it cannot use: exit code 2, the message alone. */
export class UsageError extends Error {}
