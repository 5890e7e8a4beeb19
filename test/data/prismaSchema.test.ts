import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, type ColumnType, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { MigrationDirectory } from '@prisma/schema-engine-wasm/schema_engine_bg';
import * as engineBindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { type QueryResult, types } from 'pg';
import { expect, test } from 'vitest';
import { pathOf, textOf } from '../support/documents.js';
import { query } from '../support/query.js';
import { temporaryDatabase } from '../support/temporary.js';
import { createWorld } from '../support/world.js';

const world = await createWorld({ isAlone: true });

// Once: its bindings know one instance.
const path = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
const bytes = await readFile(path.replace(/\.js$/, '.wasm'));
const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': engineBindings });
engineBindings.__wbg_set_wasm(instance.exports);
(instance.exports as { __wbindgen_start(): void }).__wbindgen_start();

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
  const { url } = await temporaryDatabase();
  await query(url, withoutTables);
  await query(url, await scriptFor(textOf('prisma/schema.prisma'), new URL(url)));
  const wanted = (await query(url, catalog)).map(({ definition }) => definition);
  const found = (await world.sql(catalog)).map(({ definition }) => definition);
  expect(wanted.length).toBeGreaterThan(300);
  expect(wanted.filter((definition) => !found.includes(definition))).toEqual([]);
  // Prisma knows no indexes on expressions and no partial indexes.
  const unsaid = /^CREATE (UNIQUE )?INDEX \S+ ON .*(\(.*\(| WHERE | INCLUDE )/;
  expect(found.filter((definition) => !wanted.includes(definition) && !unsaid.test(definition))).toEqual([]);
});

test("Prisma's own `migrate dev` finds no drift, and writes only what a new field and a new model need", async () => {
  const { url } = await temporaryDatabase();
  const content = textOf('prisma/schema.prisma')
    .replace('model Goal {', 'model Goal {\n  color String?')
    .concat(
      '\nmodel Badge {\n  companyId String @map("company_id")\n  id String\n  @@id([companyId, id])\n  @@map("badges")\n}\n',
    );
  const engine = await engineOn(new URL(url), content);
  const filters = { externalTables: [], externalEnums: [] };
  const migrationDirectories = readdirSync(pathOf('prisma/migrations'))
    .filter((name) => !name.includes('.'))
    .map((name): MigrationDirectory => {
      const value = textOf(`prisma/migrations/${name}/migration.sql`);
      return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok', value } } };
    });
  const lockfile = { path: 'migration_lock.toml', content: textOf('prisma/migrations/migration_lock.toml') };
  const migrationsList = {
    baseDir: pathOf('prisma/migrations'),
    lockfile,
    shadowDbInitScript: '',
    migrationDirectories,
  };
  expect(await engine.devDiagnostic({ migrationsList, filters })).toEqual({ action: { tag: 'createMigration' } });
  const files = [{ path: 'schema.prisma', content }];
  const { migrationScript } = await engine.createMigration({
    draft: true,
    migrationName: 'colors',
    migrationsList,
    schema: { files },
    filters,
  });
  const statements = migrationScript?.replaceAll(/^--.*$/gm, '').split(';') ?? [];
  expect(statements.map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter(Boolean)).toEqual([
    'ALTER TABLE "goals" ADD COLUMN "color" TEXT',
    'CREATE TABLE "badges" ( "company_id" TEXT NOT NULL, "id" TEXT NOT NULL, CONSTRAINT "badges_pkey" PRIMARY KEY ("company_id","id") )',
  ]);
});

/** The SQL that Prisma's own schema engine generates for a schema. */
async function scriptFor(content: string, url: URL): Promise<string> {
  const engine = await engineOn(url, content);
  const { stdout } = await engine.diff({
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return stdout ?? '';
}

/** Prisma's own schema engine, in WebAssembly, on a database. */
async function engineOn({ hostname: host, port, username, password, pathname }: URL, content: string) {
  // Host and database apart: in a connection string the engine takes the database for a shadow that it may empty.
  const adapterOf = (database: string) =>
    new PrismaPg({
      host,
      port: Number(port),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database,
      max: 1,
    });
  const own = adapterOf(pathname.slice(1));
  // The native engine sends a file as it is. The adapter would split it at each `;`, also within a function.
  const connected = async (adapter: PrismaPg) => {
    const connection = await adapter.connect();
    const pool = connection.underlyingDriver();
    const executeScript = async (script: string) => void (await pool.query(script));
    // Nor does it know the type "char" of the catalogs.
    const characters = new Set<string>();
    const query = pool.query.bind(pool) as unknown as (...args: unknown[]) => Promise<QueryResult>;
    const asText = async (...args: unknown[]) => {
      const result = await query(...args);
      for (const field of result.fields ?? []) {
        if (field.dataTypeID !== types.builtins.CHAR) continue;
        characters.add(field.name);
        field.dataTypeID = types.builtins.TEXT;
      }
      return result;
    };
    Object.assign(pool, { query: asText });
    const read = connection.queryRaw.bind(connection);
    const queryRaw: typeof read = async (sent) => {
      const { columnNames, columnTypes, rows } = await read(sent);
      const typesOf = columnNames.map((name, index) =>
        characters.has(name) ? ColumnTypeEnum.Character : (columnTypes[index] as ColumnType),
      );
      return { columnNames, columnTypes: typesOf, rows };
    };
    return Object.assign(connection, { executeScript, queryRaw });
  };
  const connectToShadowDb = async () => {
    const name = `shadow_${randomUUID()}`;
    const administrator = await connected(own);
    await administrator.executeScript(`CREATE DATABASE "${name}"`);
    const dispose = async () => {
      await shadow.underlyingDriver().end();
      await administrator.executeScript(`DROP DATABASE "${name}" WITH (FORCE)`);
      await administrator.underlyingDriver().end();
    };
    const shadow = await connected(adapterOf(name));
    return Object.assign(shadow, { dispose });
  };
  const { provider, adapterName } = own;
  return engineBindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', content]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory({ provider, adapterName, connect: () => connected(own), connectToShadowDb }),
  );
}
