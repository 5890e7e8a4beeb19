import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Holds a lock for which every change of a goal waits, until the function that it returns is called. */
export async function holdGoals(url: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('LOCK TABLE goals IN SHARE MODE');
  onTestFinished(() => client.end());
  return async () => void (await client.query('COMMIT'));
}
