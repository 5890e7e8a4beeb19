/** Ends a property of fast-check, also while it searches for a smaller example that fails. To be cut short is to fail. */
export const timeLimit = (milliseconds: number) => ({
  interruptAfterTimeLimit: milliseconds,
  markInterruptAsFailure: true,
});
