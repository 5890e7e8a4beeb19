import { randomUUID } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { getSystemErrorMap } from 'node:util';

/** A file by its path from `src`, or once built, from `dist`, where every module is bundled into a file at the top. */
export const fileUrl = (path: string) => new URL(path, import.meta.url);

/** What the file system refuses, in the words of the system; undefined if an error is not one of the file system. */
export function fileProblem(error: unknown): string | undefined {
  const { errno, code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === undefined) return undefined;
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? `cannot be read or written (${code})`;
}

/** A file cannot be read or written. The message names it and says why. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor(file: string, error: unknown, problem = fileProblem(error)) {
    super(`${file}: ${problem}`, { cause: error });
  }
}

type Pieces = Iterable<string> | AsyncIterable<string>;

/** Writes a file for its owner only, whole or not at all, even if killed; a pipe is written to. Throws a FileError. */
export async function replaceFile(file: string, pieces: Pieces): Promise<void> {
  const failed = (error: NodeJS.ErrnoException) => {
    throw new FileError(file, error, error.code === 'ENOENT' ? 'its directory does not exist' : undefined);
  };
  // Where a link leads: it stays.
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch((error) => (error.code === 'ENOENT' ? undefined : failed(error)));
  if (found && !found.isFile()) {
    const handle = await open(target, 'w').catch(failed);
    await writeAll(handle, pieces, failed);
    return;
  }
  const fresh = join(dirname(target), `.goalpost-${randomUUID()}`);
  const handle = await open(fresh, 'wx', 0o600).catch(failed);
  try {
    await writeAll(handle, pieces, failed);
    await rename(fresh, target).catch(failed);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** Characters that are written at a time. */
const atOnce = 100_000;

export async function* inBatches(pieces: Pieces): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < atOnce) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Closes the file, whatever happens. */
async function writeAll(handle: FileHandle, pieces: Pieces, failed: (error: NodeJS.ErrnoException) => void) {
  try {
    for await (const text of inBatches(pieces)) await handle.appendFile(text).catch(failed);
  } finally {
    await handle.close();
  }
}
