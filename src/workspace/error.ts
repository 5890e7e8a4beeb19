const maximumShown = 50;

/** A file that cannot be imported. `problems` has one line for each problem; the message shows the first 50. */
export class ImportError extends Error {
  override readonly name = 'ImportError';

  constructor(readonly problems: string[]) {
    const hidden = problems.length - maximumShown;
    const lines = problems.slice(0, maximumShown).map((problem) => `\n  ${problem}`);
    if (hidden > 0) lines.push(`\n  … and ${hidden} more`);
    super(
      problems.length === 1
        ? `Nothing was imported. ${problems[0]}`
        : `Nothing was imported: there are ${problems.length} problems:${lines.join('')}`,
    );
  }
}
