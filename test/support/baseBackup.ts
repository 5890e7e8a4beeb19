import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pg from 'pg';

/** What a base backup leaves out: it belongs to the running server. */
const transient = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const ofTheServer = ['postmaster.pid', 'postmaster.opts'];

/** What `pg_basebackup --wal-method none --checkpoint fast` does, which the embedded PostgreSQL does not have. */
export async function baseBackup(url: string, data: string, copy: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('drill', true)");
    const isCopied = (file: string) =>
      !ofTheServer.includes(basename(file)) && !transient.some((name) => file.startsWith(join(data, name, '/')));
    await cp(data, copy, { recursive: true, filter: isCopied });
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(copy, 'backup_label'), rows[0].labelfile);
    await rm(join(copy, 'pg_wal'), { recursive: true, force: true });
    await mkdir(join(copy, 'pg_wal', 'archive_status'), { recursive: true });
  } finally {
    await client.end();
  }
}
