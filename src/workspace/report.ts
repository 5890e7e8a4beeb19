// The types of the package include this file as it is: it imports nothing.

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

export interface ImportOptions {
  /** Changes a company that exists, instead of refusing it. */
  update?: boolean;
  /** Reports what would change, and writes nothing. */
  dryRun?: boolean;
  /** Removes what a whole file does not name. */
  removeMissing?: boolean;
  /** Takes the file's word, also against what operations have changed since. */
  overwrite?: boolean;
  /** Fails if anything is kept or in conflict. */
  strict?: boolean;
  /** Takes a whole file as the truth, whatever its revision is, and whatever events say that it does not know. */
  resync?: boolean;
  /** The most changes, kept records and conflicts that the report names. */
  shown?: number;
  onProgress?: (written: number, total: number) => void;
}

/** What became of the rows of a table. */
export interface Counted {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
}

/** A record of which the file does not decide, or a field that it changes. */
export interface Finding<Table extends string = string> {
  what: 'kept' | 'conflict' | 'changed';
  table: Table;
  id: string;
  /** Where it is in the file. */
  path: string;
  details: Record<string, unknown>;
}

export interface ImportReport<Table extends string = string> {
  companyId: string;
  /** Whether the company was new. */
  isNew: boolean;
  /** Whether the same file had been imported before, so that there was nothing to do. */
  isRepeated: boolean;
  tables: Record<Table, Counted>;
  kept: number;
  conflicts: number;
  /** The conflicts, the kept records and the changes, in this order; not more than were asked for. */
  findings: Finding<Table>[];
}
