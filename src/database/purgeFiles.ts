import type { Database, Transaction } from './client.js';
import { retryConflicts } from './conflicts.js';
import { Prisma } from './generated/client/client.js';

/** A deleted file to remove for good. Its bytes are at `url`, not in this database. */
export interface PurgedFile {
  id: string;
  name: string;
  companyId: string;
  deletedAt: Date;
  size: bigint;
  url: string | null;
}

const batchSize = 200;
const limits = { timeout: 60_000, maxWait: 10_000 };

/** The files deleted before that moment, the longest deleted first. */
export const purgeableFiles = (db: Transaction, before: Date): Promise<PurgedFile[]> =>
  db.$queryRaw<PurgedFile[]>(Prisma.sql`${select} WHERE f.deleted_at < ${before} ORDER BY f.deleted_at, f.id`);

/**
 * Removes for good the files deleted before that moment, with everything that belongs to them, and returns their
 * number. Calls `onPurged` for each batch once it is committed. Skips a file that another transaction has locked.
 */
export async function purgeFiles(
  db: Database,
  before: Date,
  onPurged: (files: PurgedFile[]) => void = () => {},
): Promise<number> {
  for (let purged = 0; ; ) {
    const files = await retryConflicts(() => db.$transaction((tx) => purgeBatch(tx, before), limits));
    onPurged(files);
    purged += files.length;
    if (files.length < batchSize) return purged;
  }
}

const select = Prisma.sql`
  SELECT f.id, f.name, h.company_id AS "companyId", f.deleted_at AS "deletedAt", b.size, b.url
  FROM resource_hub_files f JOIN resource_hubs h ON h.id = f.resource_hub_id JOIN blobs b ON b.id = f.blob_id`;

async function purgeBatch(tx: Transaction, before: Date): Promise<PurgedFile[]> {
  const files = await tx.$queryRaw<(PurgedFile & { blobId: string })[]>(Prisma.sql`
    SELECT purged.*, f.blob_id AS "blobId" FROM resource_hub_files f JOIN (${select}) purged ON purged.id = f.id
    WHERE f.deleted_at < ${before} ORDER BY f.deleted_at, f.id LIMIT ${batchSize} FOR UPDATE OF f SKIP LOCKED`);
  if (files.length === 0) return [];
  const ids = files.map(({ id }) => id);
  const activities = Prisma.sql`SELECT id FROM activities WHERE file_id = ANY(${ids}::text[])`;
  const threads = Prisma.sql`SELECT id FROM comment_threads WHERE activity_id IN (${activities})`;
  const comments = Prisma.sql`
    SELECT id FROM comments WHERE file_id = ANY(${ids}::text[]) OR thread_id IN (${threads})`;
  const lists = Prisma.sql`
    SELECT id FROM subscription_lists WHERE file_id = ANY(${ids}::text[]) OR thread_id IN (${threads})`;
  // In this order, so that each row is deleted before the row it refers to.
  await tx.$executeRaw`DELETE FROM reactions WHERE file_id = ANY(${ids}::text[]) OR comment_id IN (${comments})`;
  await tx.$executeRaw`DELETE FROM comments WHERE id IN (${comments})`;
  await tx.$executeRaw`DELETE FROM subscriptions WHERE subscription_list_id IN (${lists})`;
  await tx.$executeRaw`DELETE FROM subscription_lists WHERE id IN (${lists})`;
  await tx.$executeRaw`DELETE FROM notifications WHERE activity_id IN (${activities})`;
  await tx.$executeRaw`DELETE FROM comment_threads WHERE id IN (${threads})`;
  await tx.$executeRaw`DELETE FROM activities WHERE file_id = ANY(${ids}::text[])`;
  await tx.$executeRaw`DELETE FROM resource_hub_files WHERE id = ANY(${ids}::text[])`;
  await tx.$executeRaw`DELETE FROM blobs WHERE id = ANY(${files.map(({ blobId }) => blobId)}::text[])`;
  return files.map(({ blobId: _, ...file }) => file);
}
