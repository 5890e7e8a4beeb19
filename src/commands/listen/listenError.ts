/** Why `listen` cannot go on. The command prints it and exits with 1. */
export class ListenError extends Error {}
