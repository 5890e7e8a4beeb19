const closeMilliseconds = 3_000;

/** Closes, and exits soon in any case: requests that were cut off may hold on to their connections to the database. */
export async function exitInTime(cutOff: number, close: () => Promise<unknown>): Promise<void> {
  if (cutOff > 0) setTimeout(() => process.exit(), closeMilliseconds);
  await close();
  // Not now: the command line still reports a failure and sets the exit code.
  if (cutOff > 0) setImmediate(() => process.exit());
  // What still keeps the process then is a log that nobody reads.
  setTimeout(() => process.exit(), closeMilliseconds).unref();
}
