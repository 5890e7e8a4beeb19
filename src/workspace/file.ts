import { readFile, stat } from 'node:fs/promises';
import { ImportError } from './error.js';
import { syntaxErrorAt } from './syntax.js';

const limit = 400 * 1024 * 1024;

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
};

/** The document in a JSON file. Throws an ImportError that says why it cannot be read, and where it is not JSON. */
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
    const before = text.slice(0, syntaxErrorAt(text)).split('\n');
    throw problem(`is not JSON, see line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`);
  }
}

async function readBytes(file: string): Promise<Buffer> {
  const { size } = await stat(file);
  if (size > limit) throw new Error(`is larger than ${limit / 1024 / 1024} MB`);
  return readFile(file);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
