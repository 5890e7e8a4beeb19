import pg from 'pg';
import { vi } from 'vitest';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Whether a new connection begins with this statement. */
export const isFirst = (text: string) => text.startsWith('SELECT set_config(name, value, false)');

/** What is sent with a call of the driver's `query`; nothing of what only stands around statements that are sent at once. */
export function statementsIn(query?: unknown, values?: unknown): Statement[] {
  const text = typeof query === 'string' ? query : (query as { text: string }).text;
  if (text === 'START TRANSACTION' || text === 'END') return [];
  const own = (query as { values?: unknown[] }).values ?? [];
  return [{ text, values: Array.isArray(values) ? values : own }];
}

/** Runs the work and returns every statement that reached Postgres meanwhile. */
export async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; statements: Statement[] }> {
  const statements: Statement[] = [];
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const result = await work();
    for (const [query, values] of spy.mock.calls as unknown[][]) statements.push(...statementsIn(query, values));
    return { result, statements: statements.filter(({ text }) => !isFirst(text)) };
  } finally {
    spy.mockRestore();
  }
}
