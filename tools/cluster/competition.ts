import pg from 'pg';
import { openModels } from '../../src/database.js';
import { createToken } from '../../src/tokens.js';
import { importFileOf } from '../../test/support/goalpost.js';
import { violationsIn } from '../consistency/check.js';
import { Client } from '../consistency/client.js';
import { History } from '../consistency/history.js';
import { audienceIn, clientCount, competedWorkspace } from '../consistency/workspace.js';
import { stepsUntil } from '../faults/load.js';

const prefix = 'rivals';
const slowest = 60_000;

/** Sixteen clients who compete for few records on both surfaces, and what the database must have afterwards. */
export async function startCompetition(primaryUrl: string, base: string, seed: number) {
  const pool = new pg.Pool({ connectionString: primaryUrl, max: 8, application_name: 'main application' });
  pool.on('error', () => {});
  const db = openModels({ url: primaryUrl, poolSize: 2, preparedStatements: false });
  await importFileOf(competedWorkspace(prefix), { DATABASE_URL: primaryUrl });
  const history = new History(prefix, audienceIn(prefix));
  const issueToken = (personId: string) =>
    createToken(db, { companyId: `${prefix}-company`, personId, name: 'history', canWrite: true });
  let isOver = false;
  const known = new Map<string, number>();
  const running = Array.from({ length: clientCount }, (_, number) =>
    new Client({ pool, gateways: [{ base }, { base }], issueToken }, history, { number, known }).run(
      stepsUntil(() => isOver, seed + number),
    ),
  );

  /** Returns how many requests had which status, and what of the database does not fit the answers. */
  async function end() {
    isOver = true;
    await Promise.all(running);
    const violations = await violationsIn(pool, history, slowest);
    const attempts = history.mutations.flatMap((mutation) => mutation.attempts);
    const acknowledged = attempts.filter(({ status, replayed }) => status === 200 && !replayed).length;
    await pool.end();
    await db.$disconnect();
    return { violations, acknowledged, statuses: attempts.map(({ status }) => status) };
  }

  return { end };
}
