import type { Blob, ResourceHubFile } from '../generated/client/client.js';
import { type Database, sql, type Transaction } from '../platform/postgres/index.js';

/** A deleted file to remove for good. Its bytes are at `url`, not in this database. */
export interface PurgedFile extends Pick<ResourceHubFile, 'id' | 'name' | 'companyId'>, Pick<Blob, 'size' | 'url'> {
  deletedAt: Date;
}

const batchSize = 200;
const limits = { timeout: 60_000 };

/** The moment that many milliseconds ago, by the clock of the database. */
const moment = (olderThan: number) => sql`now() - make_interval(secs => ${olderThan / 1000})`;

/** The files deleted more than that many milliseconds ago, the longest deleted first. */
export const purgeableFiles = (db: Transaction, olderThan: number): Promise<PurgedFile[]> =>
  db.$queryRaw<PurgedFile[]>(sql`
    SELECT ${columns} FROM ${filesAndBlobs} WHERE f.deleted_at < ${moment(olderThan)} ORDER BY f.deleted_at, f.company_id, f.id`);

/** A file that was left, as a row of a table that is not ours refers to it. */
export interface KeptFile extends PurgedFile {
  /** What PostgreSQL says, with the table and the constraint. */
  reason: string;
}

interface Purging {
  /** Gets each batch once it is committed. */
  onPurged?: (files: PurgedFile[]) => void;
  onKept?: (file: KeptFile) => void;
}

/** Removes files for good, with all that belongs to them, and returns how many. */
export async function purgeFiles(db: Database, olderThan: number, purging: Purging = {}): Promise<number> {
  const companies = await db.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM companies c
    WHERE EXISTS (SELECT FROM resource_hub_files f WHERE f.company_id = c.id AND f.deleted_at < ${moment(olderThan)})`;
  let purged = 0;
  for (const { id } of companies) purged += await purgeFilesOf(db, id, olderThan, purging);
  return purged;
}

const isReferredTo = (error: unknown): error is Error => (error as { code?: string }).code === '23503';

/** Halves a batch that has a file which must stay, until that is alone. */
async function purgeFilesOf(
  db: Database,
  companyId: string,
  olderThan: number,
  { onPurged, onKept }: Purging,
): Promise<number> {
  const kept: string[] = [];
  for (let purged = 0, most = batchSize; ; ) {
    let files: TakenFile[] = [];
    const purge = async (tx: Transaction) => {
      files = await takeBatch(tx, companyId, olderThan, { most, kept });
      if (files.length > 0) await removeBatch(tx, companyId, files);
    };
    try {
      await db.$transaction(purge, limits);
    } catch (error) {
      if (!isReferredTo(error)) throw error;
      const [file] = files;
      if (file && files.length === 1) {
        kept.push(file.id);
        onKept?.({ ...file, reason: error.message });
      } else most = Math.ceil(files.length / 2);
      continue;
    }
    onPurged?.(files.map(({ blobId: _, ...file }) => file));
    purged += files.length;
    if (files.length < most) return purged;
    most = Math.min(2 * most, batchSize);
  }
}

const columns = sql`f.id, f.name, f.company_id AS "companyId", f.deleted_at AS "deletedAt", b.size, b.url`;
const filesAndBlobs = sql`resource_hub_files f JOIN blobs b ON b.company_id = f.company_id AND b.id = f.blob_id`;

type TakenFile = PurgedFile & { blobId: string };

const takeBatch = (
  tx: Transaction,
  companyId: string,
  olderThan: number,
  { most, kept }: { most: number; kept: string[] },
): Promise<TakenFile[]> =>
  tx.$queryRaw<TakenFile[]>(sql`
    SELECT ${columns}, f.blob_id AS "blobId" FROM ${filesAndBlobs}
    WHERE f.company_id = ${companyId} AND f.deleted_at < ${moment(olderThan)} AND f.id <> ALL(${kept}::text[])
    ORDER BY f.deleted_at, f.id LIMIT ${most}::integer FOR UPDATE OF f SKIP LOCKED`);

async function removeBatch(tx: Transaction, companyId: string, files: TakenFile[]): Promise<void> {
  const within = sql`company_id = ${companyId}`;
  const ids = files.map(({ id }) => id);
  const ofFile = sql`file_id = ANY(${ids}::text[])`;
  // File by file, whatever PostgreSQL knows of how many activities there are.
  const activities = sql`SELECT a.id FROM unnest(${ids}::text[]) f (id) CROSS JOIN LATERAL (
    SELECT id FROM activities WHERE ${within} AND file_id = f.id OFFSET 0) a`;
  const threads = sql`SELECT id FROM comment_threads WHERE ${within} AND activity_id IN (${activities})`;
  const comments = sql`SELECT id FROM comments WHERE ${within} AND (${ofFile} OR thread_id IN (${threads}))`;
  const lists = sql`SELECT id FROM subscription_lists WHERE ${within} AND (${ofFile} OR thread_id IN (${threads}))`;
  // In this order, so that each row is deleted before the row it refers to.
  await tx.$executeRaw`DELETE FROM reactions WHERE ${within} AND (${ofFile} OR comment_id IN (${comments}))`;
  await tx.$executeRaw`DELETE FROM comments WHERE ${within} AND id IN (${comments})`;
  await tx.$executeRaw`DELETE FROM subscriptions WHERE ${within} AND subscription_list_id IN (${lists})`;
  await tx.$executeRaw`DELETE FROM subscription_lists WHERE ${within} AND id IN (${lists})`;
  await tx.$executeRaw`DELETE FROM notifications WHERE ${within} AND activity_id IN (${activities})`;
  await tx.$executeRaw`DELETE FROM comment_threads WHERE ${within} AND id IN (${threads})`;
  await tx.$executeRaw`DELETE FROM activities WHERE ${within} AND id IN (${activities})`;
  await tx.$executeRaw`DELETE FROM resource_hub_files WHERE ${within} AND id = ANY(${ids}::text[])`;
  await tx.$executeRaw`DELETE FROM blobs WHERE ${within} AND id = ANY(${files.map(({ blobId }) => blobId)}::text[])`;
}
