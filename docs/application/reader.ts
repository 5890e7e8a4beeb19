import type pg from 'pg';

const query = `query ($first: Int!, $after: String) {
  events(first: $first, after: $after) {
    edges {
      cursor
      node {
        id type origin timestamp body
        activity {
          documentVersion { title content versionNumber restoredFromVersionNumber }
          subject { ... on Goal { closedAt closedBy { id } success } }
        }
      }
    }
    pageInfo { endCursor hasNextPage }
  }
}`;

interface Event {
  id: string;
  type: string;
  origin: 'API' | 'IMPORT' | 'APPLICATION';
  timestamp: string;
  body: { data: { author_id: string; goal_id: string; file_id: string; document_id: string } };
  activity: {
    documentVersion: {
      title: string;
      content: string;
      versionNumber: number;
      restoredFromVersionNumber: number;
    } | null;
    /** Null if the record has been removed since. */
    subject: { closedAt: string | null; closedBy: { id: string } | null; success: boolean | null } | null;
  };
}

export interface Feed {
  /** The address of the gateway. */
  gateway: string;
  /** A token of an owner, who sees every event. */
  token: string;
}

/** Takes in the events since the last call, oldest first. Returns their number. */
export async function takeInEvents(client: pg.ClientBase, { gateway, token }: Feed, first = 100): Promise<number> {
  const { rows } = await client.query('SELECT cursor FROM taken_in');
  const response = await fetch(`${gateway}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { first, after: rows[0].cursor } }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the query says what it is.
  const { data, errors } = (await response.json()) as any;
  // A cursor that the gateway no longer knows: its database was set back. See docs/runbook.md.
  if (!data) throw new Error(errors?.[0]?.message ?? `the gateway answers ${response.status}`);
  const { edges, pageInfo } = data.events as {
    edges: { cursor: string; node: Event }[];
    pageInfo: { endCursor: string | null; hasNextPage: boolean };
  };
  let last = rows[0].cursor;
  for (const { cursor, node } of edges) {
    await takeIn(client, node, { last, cursor });
    last = cursor;
  }
  // Behind them may be events of records that have been removed since, which nobody sees any more.
  if (pageInfo.endCursor !== last) await note(client, { last, cursor: pageInfo.endCursor });
  return edges.length + (pageInfo.hasNextPage && first > 1 ? await takeInEvents(client, { gateway, token }, first) : 0);
}

/** Each event in the transaction that notes its cursor: killed before the commit, the next call takes it in again. */
async function takeIn(
  client: pg.ClientBase,
  event: Event,
  place: { last: string | null; cursor: string },
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query("SET LOCAL application.takes_in = 'on'");
    await note(client, place);
    const { rowCount } = await client.query('INSERT INTO events VALUES ($1) ON CONFLICT DO NOTHING', [event.id]);
    // It may have been taken in before. What this application has sent comes back as an event of an import.
    if (rowCount === 1 && event.origin === 'API') await apply(client, event);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Notes how far the feed has been taken in, unless another process has. */
async function note(
  client: pg.ClientBase,
  { last, cursor }: { last: string | null; cursor: string | null },
): Promise<void> {
  const noted = await client.query('UPDATE taken_in SET cursor = $1 WHERE cursor IS NOT DISTINCT FROM $2', [
    cursor,
    last,
  ]);
  if (noted.rowCount === 0) throw new Error('another process takes in events too');
}

async function apply(client: pg.ClientBase, { type, timestamp, body: { data }, activity }: Event): Promise<void> {
  const { documentVersion: version, subject } = activity;
  switch (type) {
    case 'GOAL_REOPENED':
      await client.query('UPDATE goals SET closed_at = NULL, closed_by = NULL, success = NULL WHERE id = $1', [
        data.goal_id,
      ]);
      return;
    case 'GOAL_CLOSED': // An operation that was undone. If it was reopened since, that event follows.
      if (subject?.closedAt)
        await client.query('UPDATE goals SET closed_at = $2, closed_by = $3, success = $4 WHERE id = $1', [
          data.goal_id,
          subject.closedAt,
          subject.closedBy?.id,
          subject.success,
        ]);
      return;
    case 'RESOURCE_HUB_FILE_DELETED':
      await client.query('UPDATE files SET deleted_at = $2, deleted_by = $3 WHERE id = $1', [
        data.file_id,
        timestamp,
        data.author_id,
      ]);
      return;
    case 'RESOURCE_HUB_FILE_RECOVERED':
      await client.query('UPDATE files SET deleted_at = NULL, deleted_by = NULL WHERE id = $1', [data.file_id]);
      return;
    case 'DOCUMENT_VERSION_RESTORED': {
      const found = await client.query('SELECT id FROM documents WHERE id = $1 FOR UPDATE', [data.document_id]);
      if (!version || found.rowCount === 0) return;
      const { versionNumber: number, title, content, restoredFromVersionNumber: from } = version;
      // A version of our own with this number moves behind it, and is sent again.
      await client.query('SET CONSTRAINTS ALL DEFERRED');
      const moved = await client.query(
        `UPDATE versions SET number = number + 1, restored_from = restored_from + (restored_from >= $2)::integer
         WHERE document_id = $1 AND number >= $2`,
        [data.document_id, number],
      );
      await client.query('INSERT INTO versions VALUES ($1, $2, $3, $4, $5, $6, $7)', [
        data.document_id,
        number,
        title,
        content,
        from,
        data.author_id,
        timestamp,
      ]);
      if (moved.rowCount) await client.query("SELECT note_change('document', $1)", [data.document_id]);
    }
  }
}

/** Reads the feed from the beginning again. What was taken in already is not taken in twice. */
export async function forgetCursor(client: pg.ClientBase): Promise<void> {
  await client.query('UPDATE taken_in SET cursor = NULL');
}
