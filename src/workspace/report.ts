import type { Table } from './tables.js';

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
  /** Takes the word of the file, also against what operations have changed since its `as_of`. */
  overwrite?: boolean;
  /** Refuses a file of another company. */
  companyId?: string;
  /** The most findings that the report names. */
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

/** A field that the file changes. */
export interface Finding {
  table: Table;
  id: string;
  /** Where it is in the file. */
  path: string;
  field: string;
  here: unknown;
  file: unknown;
}

/** A record that an operation has changed by an event which the file does not know. */
export interface UnknownChange {
  table: string;
  id: string;
  /** Where the record is in the file; empty if the file removes it. */
  path: string;
  /** The sequence of the event; null if it has none yet. */
  event: string | null;
  action: string;
  personId: string;
  at: Date;
}

/** A file that does not know what operations have changed since. Nothing was written: take the events in, and send again. */
export class UnknownChangesError extends ImportError {
  constructor(readonly changes: UnknownChange[]) {
    super(changes.map(changeText));
  }
}

/** One line for a person: the record, and what has changed it. */
export function changeText({ path, table, id, event, action, personId, at }: UnknownChange): string {
  const by = `${action} by ${JSON.stringify(personId)} at ${at.toISOString()}`;
  const number = event === null ? 'an event without a number yet' : `event ${event}`;
  return `${path || `removed ${table}`} (${JSON.stringify(id)}): ${by} is ${number}, which as_of does not know`;
}

export interface ImportReport {
  companyId: string;
  isNew: boolean;
  /** Whether the same file had been imported before, so that there was nothing to do. */
  isRepeated: boolean;
  tables: Record<Table, Counted>;
  /** The changes of fields; not more than were asked for. */
  findings: Finding[];
  /** With `overwrite`: what operations had changed, and the file has undone. */
  overwritten: UnknownChange[];
  /** The ids of spaces without access levels in the file, which are open to the whole company. */
  openedSpaces: string[];
}

/** A value for a message: on one line, cut after 80 characters. */
export function quote(value: unknown): string {
  const json = typeof value === 'number' ? `${value}` : (JSON.stringify(value) ?? 'nothing');
  return json.length > 80 ? `${json.slice(0, 77).replace(/\p{Cs}$/u, '')}…` : json;
}
