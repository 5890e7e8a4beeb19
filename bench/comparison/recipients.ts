import pg from 'pg';
import type { Running } from './contenders.js';
import { callersToken, ids } from './dataset.js';

/** Reopening a goal of the crowded space, compared with inserting the rows that it inserts for those whom it notifies. */
export interface Notified {
  recipients: number;
  /** Of the whole request, which answers with the id of the goal. */
  milliseconds: number;
  /** Of the bare statement. */
  bareMilliseconds: number;
}

const document = 'mutation ($input: ReopenGoalInput!) { reopenGoal(input: $input) { goal { id } } }';

const bareSql = `
  WITH activity AS (
    INSERT INTO activities (company_id, action, author_id, goal_id, name) VALUES ('company', 'goal_reopened', 'caller', $1, 'Goal')
    RETURNING id
  )
  INSERT INTO notifications (company_id, activity_id, person_id)
  SELECT 'company', activity.id, m.person_id FROM activity, space_members m
  WHERE m.company_id = 'company' AND m.space_id = 'crowd' AND m.person_id <> 'caller'`;

const notifiedSql = `SELECT count(*)::int AS count FROM notifications n
  JOIN activities a ON a.company_id = n.company_id AND a.id = n.activity_id
  WHERE n.company_id = 'company' AND a.goal_id = $1 AND a.action = 'goal_reopened'`;

/** Measures both in turn, each time with another goal. The goals must be closed, and never have been reopened. */
export async function notified(gateway: Running, databaseUrl: string, times: number): Promise<Notified[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const all: Notified[] = [];
    for (let count = 0; count < times; count += 1) {
      const bare = await timed(() =>
        client.query({ name: 'bare', text: bareSql, values: [ids.crowdedGoal(2 * count)] }),
      );
      const id = ids.crowdedGoal(2 * count + 1);
      const { milliseconds } = await timed(() => reopen(gateway, id));
      const { rows } = await client.query(notifiedSql, [id]);
      const recipients = bare.result.rowCount ?? 0;
      if (rows[0].count !== recipients) throw new Error(`notified ${rows[0].count} people instead of ${recipients}`);
      all.push({ recipients, milliseconds, bareMilliseconds: bare.milliseconds });
    }
    return all;
  } finally {
    await client.end();
  }
}

async function timed<Result>(run: () => Promise<Result>): Promise<{ result: Result; milliseconds: number }> {
  const startedAt = performance.now();
  const result = await run();
  return { result, milliseconds: performance.now() - startedAt };
}

async function reopen({ base }: Running, id: string): Promise<void> {
  const input = { id, message: 'Not done yet', sendNotificationsToEveryone: true };
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${callersToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, variables: { input } }),
  });
  const text = await answer.text();
  if (!text.includes(`"id":"${id}"`)) throw new Error(`${answer.status}: ${text}`);
}
