import { expect, test } from 'vitest';
import { openModels } from '../../../src/database.js';
import { eventSource } from '../../../src/events/source.js';
import { purgeFiles } from '../../../src/operations/purgeFiles.js';
import { numberEvents } from '../../../src/platform/outbox/sequence.js';
import { exportWorkspace } from '../../../src/workspace/export.js';
import { importFrom } from '../../../src/workspace/import.js';
import { asAdministrator } from '../../support/database.js';
import { documentSource } from '../../support/importDocument.js';
import { query } from '../../support/query.js';
import { temporaryDatabase } from '../../support/temporary.js';

type Row = Record<string, unknown>;

const list = (count: number, make: (n: number) => Row): Row[] => Array.from({ length: count }, (_, n) => make(n));

/** A company with so many goals, files and documents. */
const workspaceOf = (size: number) => ({
  company: { id: 'acme', name: 'Acme' },
  people: list(50, (n) => ({ id: `p${n}`, full_name: `P ${n}`, is_owner: n === 0 })),
  spaces: [{ id: 's', name: 'S', members: [{ person_id: 'p1' }] }],
  resource_hubs: [{ id: 'h', space_id: 's', name: 'H' }],
  folders: list(20, (n) => ({
    ...{ id: `d${n}`, resource_hub_id: 'h', name: `D ${n}` },
    parent_folder_id: n === 0 ? null : `d${Math.floor(n / 5)}`,
  })).map((folder, n) => (n > 0 && n < 5 ? { ...folder, parent_folder_id: 'd0' } : folder)),
  goals: list(size, (n) => ({
    ...{ id: `g${n}`, space_id: 's', name: `G ${n}`, parent_goal_id: n < 10 ? null : `g${Math.floor(n / 10)}` },
    targets: [{ id: `t${n}`, name: 'T', from: 0, to: 1, value: 0 }],
    activities: [{ id: `a${n}`, action: 'goal_created', author_id: 'p1' }],
  })),
  files: list(size, (n) => ({
    ...{ id: `f${n}`, resource_hub_id: 'h', name: `F ${n}`, author_id: 'p1', parent_folder_id: `d${n % 20}` },
    blob: { filename: 'f.txt', size: 1, content_type: 'text/plain' },
    ...(n < 20 && { deleted_at: '2026-01-01T00:00:00Z' }),
  })),
  documents: list(size, (n) => ({
    ...{ id: `k${n}`, resource_hub_id: 'h', name: 'Two', content: 'two', author_id: 'p1', state: 'published' },
    published_at: '2026-01-01T00:00:00Z',
    versions: ['One', 'Two'].map((title, index) => ({
      ...{ version_number: index + 1, title, content: title.toLowerCase(), editor_id: 'p1' },
      origin: index === 0 ? 'published' : 'edited',
    })),
  })),
});

/** What each command reads of the tables, in rows and index entries, in a database without statistics. */
async function examined(size: number): Promise<Record<string, number>> {
  const { url } = await temporaryDatabase();
  const administrator = asAdministrator(url);
  const forgetStatistics = () =>
    query(
      administrator,
      "DELETE FROM pg_statistic; UPDATE pg_class SET reltuples = -1 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    );
  const read = async () => {
    const [row] = await query(
      administrator,
      `SELECT (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables WHERE schemaname = 'public')
        + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = 'public') AS rows`,
    );
    return Number(row?.rows);
  };
  const counts: Record<string, number> = {};
  const measure = async (step: string, work: (db: ReturnType<typeof openModels>) => Promise<unknown>) => {
    await forgetStatistics();
    const before = await read();
    const db = openModels({ url, poolSize: 2, preparedStatements: false });
    await work(db);
    // What a connection has counted is there when it has ended.
    await db.$disconnect();
    await expect
      .poll(
        async () =>
          (
            await query(
              administrator,
              "SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'",
            )
          ).length,
      )
      .toBe(0);
    counts[step] = (await read()) - before;
  };
  const workspace = workspaceOf(size);
  await query(
    administrator,
    `DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', t); END LOOP; END $$`,
  );
  await measure('a first import', (db) => importFrom(db, documentSource(workspace)));
  const { company, goals, files, documents } = workspace;
  const renamed = (records: Row[]) => records.slice(100, 120).map((record) => ({ ...record, description: 'New' }));
  const delta = { company, goals: renamed(goals), files: renamed(files) };
  await measure('a delta of 40', (db) => importFrom(db, documentSource(delta), { update: true }));
  const more = documents.slice(100, 120).map((document) => ({
    ...document,
    ...{ name: 'Three', content: 'three' },
    versions: [{ version_number: 3, title: 'Three', content: 'three', editor_id: 'p1', origin: 'edited' }],
  }));
  await measure('20 new versions', (db) =>
    importFrom(db, documentSource({ company, documents: more }), { update: true }),
  );
  const removed = { goals: goals.slice(-20).map(({ id }) => id), files: files.slice(-20).map(({ id }) => id) };
  await measure('a removal of 40', (db) => importFrom(db, documentSource({ company, removed }), { update: true }));
  await measure('numbering', (db) => numberEvents(db, eventSource, 'acme'));
  await measure('an export', (db) =>
    exportWorkspace(db, { companyId: 'acme' }, async (lines) => {
      for await (const _ of lines);
    }),
  );
  await measure('a purge of 20', (db) => purgeFiles(db, 0));
  return counts;
}

test('commands examine rows in proportion to their purpose, without statistics', async () => {
  const [small, large] = [await examined(2000), await examined(4000)];
  console.log(
    Object.keys(small)
      .map((step) => `${step}: ${small[step]} → ${large[step]} rows`)
      .join('\n'),
  );
  for (const [step, count] of Object.entries(large)) {
    const isWhole = ['a first import', 'an export'].includes(step);
    // What is for a few records reads no more among twice as many.
    expect(count / (small[step] as number), step).toBeLessThan(isWhole ? 2.5 : 1.5);
  }
});
