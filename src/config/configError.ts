/** Settings that cannot be used, all of which the message names. The command prints it and exits with 2. */
export class ConfigError extends Error {}
