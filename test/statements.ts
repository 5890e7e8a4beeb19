import pg from 'pg';

/** Runs the work and gives the SQL of every statement that this process sent to Postgres meanwhile. */
export async function statementsOf<Result>(work: () => Promise<Result>): Promise<[string[], Result]> {
  const statements: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    const [statement] = parameters;
    statements.push(typeof statement === 'string' ? statement : (statement as { text: string }).text);
    return Reflect.apply(query, this, parameters);
  } as typeof query;
  try {
    return [statements, await work()];
  } finally {
    pg.Client.prototype.query = query;
  }
}
