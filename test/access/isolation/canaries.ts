import type { Json, World } from '../../support/world.js';

/** Texts that no person reads, that refer to others, or whose form the database checks. */
const exempt = [
  ...['api_tokens.last_four', 'api_tokens.scopes', 'api_tokens.surfaces', 'activities.surface'],
  'token_companies',
  'public_links',
  '_prisma_migrations',
  'idempotency_keys',
  'imports.refused_reason',
  'activities.previous_outcome_id',
  'rate_limits',
  ...['webhooks.disabled_reason', 'webhooks.locked_by', 'webhook_retries', 'webhook_attempts.outcome'],
  ...['webhook_attempts.type', 'webhook_attempts.event_id'],
];

/** The columns of free text: neither part of a key nor of a reference. */
const columnsOf = `
  SELECT table_name AS table, column_name AS column FROM information_schema.columns c
  JOIN information_schema.tables t USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND data_type IN ('text', 'character varying')
    AND is_generated = 'NEVER'
    AND NOT EXISTS (SELECT FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY(k.conkey)
      WHERE k.conrelid = format('%I', table_name)::regclass AND k.contype IN ('p', 'f') AND a.attname = column_name)`;

/** Texts of other words than the caller's, which would be found wherever they appear. */
export interface Canaries {
  /** In every text of the company. */
  word: string;
  /** Of every row of the company. */
  ids: ReadonlySet<string>;
  /** The columns of free text that have no value with the word. */
  silent: string[];
}

/** Puts a word before each text of the rows that have none of the words yet, and collects their ids. */
export async function markTexts(world: World, word: string, known: Canaries[]): Promise<Canaries> {
  const columns = (await world.sql(columnsOf)).filter(
    ({ table, column }) => !exempt.some((name) => name === table || name === `${table}.${column}`),
  );
  const rules = ['document_versions', 'resource_hub_documents'];
  for (const table of rules) await world.sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  const silent: string[] = [];
  for (const { table, column } of columns) {
    const others = known.map((_, index) => `AND strpos("${column}", $${index + 2}) = 0`).join(' ');
    const rows = await world.sql(
      `UPDATE "${table}" SET "${column}" = $1 || ' ' || "${column}" WHERE "${column}" IS NOT NULL ${others} RETURNING 1`,
      [word, ...known.map((canaries) => canaries.word)],
    );
    if (rows.length === 0) silent.push(`${table}.${column}`);
  }
  for (const table of rules) await world.sql(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  return { word, silent, ids: new Set((await idsIn(world)).filter((id) => !known.some(({ ids }) => ids.has(id)))) };
}

async function idsIn(world: World): Promise<string[]> {
  const tables = await world.sql(
    "SELECT table_name AS name FROM information_schema.columns JOIN pg_tables ON tablename = table_name WHERE schemaname = 'public' AND column_name = 'id' AND table_name <> '_prisma_migrations'",
  );
  const rows = await world.sql(tables.map(({ name }: Json) => `SELECT id FROM ${name}`).join(' UNION ALL '));
  return rows.map(({ id }) => id);
}

const idLike = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(-\d+)?/g;

/** What of a company is in a text, apart from what the caller sent. */
export function foundIn(text: string, { word, ids }: Canaries, sent: readonly string[] = []): string[] {
  const rest = sent.reduce((left, part) => left.replaceAll(part, ''), text);
  const at = rest.indexOf(word);
  const words = at < 0 ? [] : [rest.slice(at, at + 60)];
  return [...words, ...(rest.match(idLike) ?? []).filter((id) => ids.has(id))];
}
