import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineBindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { expect, test } from 'vitest';
import { createDatabase } from '../support/database.js';
import { textOf } from '../support/documents.js';
import { query } from '../support/query.js';
import { createWorld } from '../support/world.js';

const world = await createWorld({ isAlone: true });

/** What a Prisma schema can express of a database, as Postgres itself describes it. How a column is generated it cannot. */
const catalog = `
  SELECT 'column' AS kind, format('%s.%s %s%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attnotnull THEN ' NOT NULL' END, CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END) AS definition
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
    AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'
  UNION ALL
  SELECT 'foreign key', format('%s %s: %s', conrelid::regclass, conname,
    replace(pg_get_constraintdef(oid), ' DEFERRABLE INITIALLY DEFERRED', ''))
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'enum', format('%s: %s', t.typname, string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder))
  FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid GROUP BY t.typname
  ORDER BY kind, definition`;

const withoutTables = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP EXECUTE format('DROP TABLE %I CASCADE', name); END LOOP;
    FOR name IN SELECT DISTINCT t.typname FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid LOOP EXECUTE format('DROP TYPE %I CASCADE', name); END LOOP;
  END $$`;

test('the Prisma schema and the migrations make the same tables', async () => {
  const { url, drop } = await createDatabase();
  try {
    await query(url, withoutTables);
    await query(url, await scriptFor(textOf('prisma/schema.prisma'), new URL(url)));
    const wanted = (await query(url, catalog)).map(({ definition }) => definition);
    const found = (await world.sql(catalog)).map(({ definition }) => definition);
    expect(wanted.length).toBeGreaterThan(300);
    expect(wanted.filter((definition) => !found.includes(definition))).toEqual([]);
    // Prisma knows no indexes on expressions and no partial indexes.
    const unsaid = /^CREATE (UNIQUE )?INDEX \S+ ON .*(\(.*\(| WHERE | INCLUDE )/;
    expect(found.filter((definition) => !wanted.includes(definition) && !unsaid.test(definition))).toEqual([]);
  } finally {
    await drop();
  }
});

/** The SQL that Prisma's own schema engine, in WebAssembly, generates for a schema. */
async function scriptFor(
  content: string,
  { hostname: host, port, username, password, pathname }: URL,
): Promise<string> {
  const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engineBindings });
  engineBindings.__wbg_set_wasm(instance.exports);
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
  // Host and database apart: in a connection string the engine takes the database for a shadow that it may empty.
  const adapter = new PrismaPg({
    host,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    max: 1,
  });
  const files = [{ path: 'schema.prisma', content }];
  const engine = await engineBindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
  const { stdout } = await engine.diff({
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return stdout ?? '';
}
