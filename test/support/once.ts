import pg from 'pg';
import { inject } from 'vitest';

/** Does something once in a run: the first worker that asks does it, the others wait for what it returns, as JSON. */
export async function oncePerRun<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: inject('database').onceUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await client.query('SELECT result FROM once WHERE name = $1', [name]);
    if (rows.length > 0) return rows[0].result;
    const result = await work();
    await client.query('INSERT INTO once VALUES ($1, $2)', [name, JSON.stringify(result ?? null)]);
    return result;
  } finally {
    await client.end();
  }
}
