import { sql } from '../platform/postgres/index.js';
import type { Actor } from '../policies/access.js';
import { type CursorKind, everywhere, type List } from './engine.js';

export const notificationCursor: CursorKind = { name: 'viewer.notifications', key: 'timestamptz' };

/** The caller's notifications, newest first: all, only the read, or only the unread ones. */
export const notificationList = ({ companyId, personId }: Actor, isRead: boolean | null | undefined): List => ({
  ...notificationCursor,
  descending: true,
  branches: (_scopes, walk) =>
    (isRead == null ? [true, false] : [isRead]).map(
      (wanted) => sql`
        SELECT ${everywhere} AS scope, 0 AS rank, n.inserted_at AS key, n.id FROM notifications n
        WHERE n.company_id = ${companyId} AND n.person_id = ${personId} AND num_nulls(n.read_at) = ${Number(!wanted)}
        ${walk({ key: sql`n.inserted_at`, id: sql`n.id` })}`,
    ),
});
