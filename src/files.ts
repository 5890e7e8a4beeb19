import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A file by its path from `src`, or once built, from `dist`, where every module is bundled into a file at the top. */
export const fileUrl = (path: string) => new URL(path, import.meta.url);

/** Writes a file that only its owner reads: whole, or not at all, even if this process is killed. */
export async function replaceFile(file: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const fresh = `${file}.new`;
  try {
    // One that is there may be readable for others, or lead elsewhere.
    await rm(fresh, { force: true });
    await pipeline(Readable.from(pieces), createWriteStream(fresh, { mode: 0o600, flags: 'wx' }));
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}
