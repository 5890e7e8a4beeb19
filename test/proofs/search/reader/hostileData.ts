import fc from 'fast-check';
import pg from 'pg';
import { models } from '../../../../src/generated/models.js';
import type { Model } from '../../../../src/platform/postgres/reader/shape.js';
import { query } from '../../../support/query.js';

/** Two companies whose records have the same ids. */
export const companies = ['c1', 'c2'];
export const ids = ['a', 'b', "c'1", 'd"\\', 'e\u{1F600}'];

const texts = [
  '',
  ' ',
  'a',
  'b',
  'null',
  '[]',
  '{"a": "\\u0000"}',
  "'; --",
  '\\',
  '"',
  '%_',
  '\n\t\r',
  '\u2028',
  'Ä\u0308',
  '\u{1F600}',
];

/** For each type of column, values that tempt a mistake. Few, so that rows often have the same. */
export const values: Record<string, (string | number | boolean)[]> = {
  String: [...texts, ...ids],
  Int: [0, 1, 2, 10, 70, 100, -1, 2_147_483_647, -2_147_483_648],
  Float: [0, -0, 0.1, 1, 1e308, 5e-324, -123456789.12345679],
  BigInt: ['0', '1', '9007199254740993', '-9223372036854775808', '9223372036854775807'],
  Boolean: [true, false],
  DateTime: [
    '0001-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.001Z',
    '2026-03-29T01:30:00.000Z',
    '2026-06-15T00:00:00.000Z',
    '2026-06-15T00:00:00.120Z',
    '9999-12-31T23:59:59.999Z',
  ],
  Json: ['{}', '[]', '{"a": [1, "\\\\"]}', '"b"', '0'],
  Bytes: ['\\x', '\\x00', '\\xff00fe5c', '\\x5c7830'],
};

export type Row = Record<string, unknown>;

const rowsEach = 8;

/** Fills every table for two companies, without the checks that would keep such data out. */
export async function fillWithHostileData(url: string, seed: number): Promise<void> {
  await query(url, withoutChecks);
  const tables = await query(url, "SELECT relname FROM pg_class WHERE relkind = 'r'");
  const isTable = new Set(tables.map(({ relname }) => relname));
  const rows = new Map<string, Row[]>();
  const statements: { text: string; values: unknown[] }[] = [];
  // A migration has made the only row of that one.
  const filled = Object.keys(models).filter((name) => name !== 'ConfirmationSecret');
  const pending = filled.filter((name) => isTable.has(models[name]?.table));
  while (pending.length > 0) {
    const name = pending.find((candidate) => required(candidate).every((target) => rows.has(target)));
    if (!name) throw new Error(`${pending} require each other`);
    pending.splice(pending.indexOf(name), 1);
    const own = rowsOf(name, rows, seed);
    rows.set(name, own);
    statements.push(...own.map((row) => insert(models[name] as Model, row)));
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const { text, values } of statements) await client.query(text, values);
  await client.end();
}

const withoutChecks = `DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f') AND conrelid <> 0 LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.name, r.conname);
  END LOOP;
  FOR r IN SELECT tgrelid::regclass AS name, tgname FROM pg_trigger WHERE NOT tgisinternal LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', r.tgname, r.name);
  END LOOP;
  -- Of unique indexes on some of the rows, the models do not know.
  FOR r IN SELECT indexrelid::regclass AS name FROM pg_index WHERE indisunique AND indpred IS NOT NULL LOOP
    EXECUTE format('DROP INDEX %s', r.name);
  END LOOP;
END $$`;

/** The relations that are never null. */
const requiredRelations = (name: string) =>
  Object.values(models[name]?.relations ?? {}).filter(({ isList, isNullable }) => !isList && !isNullable);

const required = (name: string) => requiredRelations(name).map(({ model }) => model);

function rowsOf(name: string, others: Map<string, Row[]>, seed: number): Row[] {
  const model = models[name] as Model;
  const drawn = fc.sample(fc.array(fc.noBias(fc.nat()), { minLength: 60, maxLength: 60 }), {
    numRuns: rowsEach * 2,
    seed,
  });
  const kept: Row[] = [];
  for (const [index, numbers] of drawn.entries()) {
    const companyId = companies[index % 2];
    const pick = <T>(items: readonly T[]) => items[(numbers.pop() ?? 0) % items.length];
    const row: Row = {};
    for (const [field, column] of Object.entries(model.columns)) {
      const pool = /(^i|I)d$/.test(field) ? ids : (column.values ?? values[column.type] ?? []);
      const isArray = column.type === 'Other';
      // Prisma reads no array of dates with a null in it, and no table has one.
      const value = column.isNullable && !isArray && pick([0, 1, 2]) === 0 ? null : pick(pool);
      row[field] = isArray ? (value === undefined ? [] : [value]) : value;
    }
    if (model.columns.companyId) row.companyId = companyId;
    if (name === 'Company') row.id = companyId;
    for (const { model: target, on } of requiredRelations(name)) {
      const there = pick(
        (others.get(target) ?? []).filter((other) => target === 'Company' || other.companyId === companyId),
      );
      for (const [own, other] of on) row[own] = there?.[other];
    }
    const isNew = Object.values(model.uniques).every(
      (fields) => !kept.some((other) => fields.every((field) => other[field] === row[field] && row[field] !== null)),
    );
    if (isNew) kept.push(row);
  }
  return kept;
}

function insert({ table, columns }: Model, row: Row) {
  const fields = Object.entries(columns);
  const names = fields.map(([, { name }]) => `"${name}"`);
  const places = fields.map((_, index) => `$${index + 1}`);
  return {
    text: `INSERT INTO "${table}" (${names}) VALUES (${places})`,
    values: fields.map(([field]) => (Object.is(row[field], -0) ? '-0' : row[field])),
  };
}
