const shown = 50;

/** A file that cannot be imported; `problems` has a line for each, the message the first of them. */
export class ImportError extends Error {
  override readonly name = 'ImportError';

  constructor(readonly problems: string[]) {
    const hidden = problems.length - shown;
    const lines = problems.slice(0, shown).map((problem) => `\n  ${problem}`);
    if (hidden > 0) lines.push(`\n  … and ${hidden} more`);
    super(
      problems.length === 1
        ? problems[0]
        : `Nothing was imported, there are ${problems.length} problems:${lines.join('')}`,
    );
  }
}
