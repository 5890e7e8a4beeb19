import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A transaction that holds what the SQL locks until it is released, or the test is over. */
export async function holding(url: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query(sql, values);
  return {
    query: (text: string, given: unknown[] = []) => client.query(text, given),
    release: async () => void (await client.query('COMMIT')),
  };
}
