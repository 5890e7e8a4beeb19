import { readFile, stat } from 'node:fs/promises';
import { visit } from 'jsonc-parser';

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

const maximumBytes = 400 * 1024 * 1024;

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'is not readable',
};

/** Reads the document in a JSON file. Throws an ImportError that says why it cannot, or where the JSON is invalid. */
export async function readDocument(file: string): Promise<unknown> {
  const problem = (message: string) => new ImportError([`${file}: ${message}`]);
  const bytes = await readBytes(file).catch((error) => {
    throw problem(reasons[error.code] ?? error.message);
  });
  const text = decode(bytes);
  if (text === undefined) throw problem('is not UTF-8 text');
  try {
    return JSON.parse(text);
  } catch {
    throw problem(`is not valid JSON${firstError(text)}`);
  }
}

/** Where a text stops being JSON. JSON.parse does not always report it. */
function firstError(text: string): string {
  let where = '';
  const onError = (_code: number, _offset: number, _length: number, line: number, character: number) => {
    where ||= ` (line ${line + 1}, column ${character + 1})`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch {
    // It is nested too deeply for the stack.
  }
  return where;
}

async function readBytes(file: string): Promise<Buffer> {
  const { size } = await stat(file);
  if (size > maximumBytes) throw new Error(`is larger than ${maximumBytes / 1024 / 1024} MB`);
  return readFile(file);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The people in prisma/demo-workspace.json who get the demo's tokens, and their company. */
export const demoPeople = {
  companyId: 'company-harborlight',
  writerId: 'person-tomas-okafor',
  readerId: 'person-jonas-weber',
} as const;
