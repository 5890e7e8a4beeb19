import { rawSql, sql, textList } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';
import {
  audience,
  fileAccess,
  fileAudience,
  fileFollowers,
  goalAccess,
  membersMayView,
  type ReopenAudience,
  type RestoreAudience,
  recipients,
  subscribers,
} from '../policies/recipients.js';
import { type CursorKind, everywhere, type List } from './engine.js';

type AudienceRole = 'notified' | 'subscribed';

export const audienceCursor = (role: AudienceRole): CursorKind => ({ name: `reopening.${role}`, key: 'text' });

/** The people that reopening the goal would notify or subscribe, by name. Empty if it cannot be reopened. */
export const reopenAudienceList = (actor: Actor, people: ReopenAudience, role: AudienceRole): List => ({
  ...audienceCursor(role),
  steps: () => sql`goal AS (
      SELECT id, space_id, ${membersMayView} FROM goals WHERE company_id = ${actor.companyId} AND id = ${people.goalId}
        AND closed_at IS NOT NULL AND archived_at IS NULL
    ), subscribed AS (SELECT s.person_id FROM goal, (${subscribers(actor, people)}) s),
    notified AS (${recipients(actor, audience(actor, people), goalAccess(actor, people))})`,
  branches: peopleOf(actor, role),
});

/** The people of a step (person_id), by name. */
const peopleOf =
  (actor: Actor, step: string): List['branches'] =>
  (_scopes, walk) => [
    // OFFSET: looked up for each, for the reason that `recipients` gives.
    sql`SELECT ${everywhere} AS scope, 0 AS rank, p.key, p.id FROM ${rawSql(step)} w CROSS JOIN LATERAL (
        SELECT id, name_key(full_name) AS key FROM people WHERE company_id = ${actor.companyId} AND id = w.person_id OFFSET 0
      ) p
      WHERE TRUE ${walk({ key: sql`p.key`, id: sql`p.id` })}`,
  ];

export const deletionCursor: CursorKind = { name: 'deletion.notified', key: 'text' };

/** The people that deleting the file would notify, by name. */
export const deletionAudienceList = (actor: Actor, fileId: string | null): List => ({
  ...deletionCursor,
  steps: () => sql`file AS (
      SELECT id, resource_hub_id FROM resource_hub_files
      WHERE company_id = ${actor.companyId} AND id = ${fileId} AND deleted_at IS NULL
    ), ${fileFollowers(actor)},
    notified AS (${recipients(actor, fileAudience(actor), fileAccess(actor))})`,
  branches: peopleOf(actor, 'notified'),
});

export const restoreCursor: CursorKind = { name: 'restore.subscribed', key: 'text' };

/** The people that restoring a version would subscribe to the document, by name: not those who have canceled. */
export const restoreAudienceList = ({ companyId, ...actor }: Actor, people: RestoreAudience): List => ({
  ...restoreCursor,
  steps: () => sql`subscribed AS (
      SELECT p.id AS person_id FROM people p
      WHERE p.company_id = ${companyId} AND p.id = ANY(${textList(people.mentioned)}) AND NOT EXISTS (
        SELECT FROM subscription_lists l JOIN subscriptions s ON s.company_id = ${companyId} AND s.subscription_list_id = l.id
        WHERE l.company_id = ${companyId} AND l.document_id = ${people.documentId} AND s.person_id = p.id)
    )`,
  branches: peopleOf({ companyId, ...actor }, 'subscribed'),
});
