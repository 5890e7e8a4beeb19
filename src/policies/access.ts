import { sql } from '../platform/postgres/index.js';

/** The caller: the person behind a token, as every operation and query sees them. */
export interface Actor {
  personId: string;
  companyId: string;
  tokenId: string;
}

/** Whether a token `t` of the person `p` is valid. */
export const isValidToken = sql`t.revoked_at IS NULL AND p.suspended_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`;

/** What the database has as a list with spaces between its items: null is all, and an empty one nothing. */
export const itemsOf = (list: string | null): string[] | null =>
  list === null ? null : list.split(' ').filter(Boolean);

/** The one scope of all that changes webhooks; every operation has one of its own name. */
export const webhookScope = 'manage_webhooks';

export const surfaces = ['rest', 'graphql', 'mcp'] as const;
export type Surface = (typeof surfaces)[number];

/** The access ladder. The database views `*_access` derive each person's level (docs/concepts.md, "Access levels"). */
export const level = { none: 0, view: 10, comment: 40, edit: 70, full: 100 } as const;

/** The key of a record of the caller's company. */
export const keyOf = ({ companyId }: Actor, id: string) => ({ companyId_id: { companyId, id } });

/** The part of a selection that loads the caller's own level on a space, goal, project or hub. */
export const callersAccess = ({ companyId, personId }: Actor) => ({
  access: { where: { companyId, personId }, select: { level: true } } as const,
});

/** The same of a hub, with what it belongs to, on which its access depends. */
export const hubAccess = (actor: Actor) => ({ ...callersAccess(actor), goalId: true, projectId: true }) as const;

export interface Access {
  access: { level: number }[];
  goalId?: string | null;
  projectId?: string | null;
}

export const levelOf = ({ access }: Access): number => access[0]?.level ?? level.none;

export const canView = (row: Access) => levelOf(row) >= level.view;
export const canEdit = (row: Access) => levelOf(row) >= level.edit;

/** The one filter for "visible to": spaces, goals, projects and hubs of the caller's own company. */
export const visibleTo = ({ companyId, personId }: Actor) => ({
  companyId,
  access: { some: { companyId, personId, level: { gte: level.view } } },
});

/** The one filter for "may be edited by": spaces, goals, projects and hubs of the caller's own company. */
export const editableBy = ({ companyId, personId }: Actor) => ({
  companyId,
  access: { some: { companyId, personId, level: { gte: level.edit } } },
});

/** A deleted file or document exists for nobody. */
const notDeleted = { deletedAt: null };

/** A published document exists for everyone who sees its hub, a draft for its author only: either must match. */
const publishedOrOwn = ({ personId }: Actor) => [{ state: 'published' as const }, { authorId: personId }];

/** The documents that exist for the caller, whatever the caller's access. */
export const existingDocument = (actor: Actor) => ({
  companyId: actor.companyId,
  ...notDeleted,
  OR: publishedOrOwn(actor),
});

/** The files of a visible hub that are not deleted. */
export const visibleFile = (actor: Actor) => ({
  companyId: actor.companyId,
  ...notDeleted,
  resourceHub: visibleTo(actor),
});

export const visibleDocument = (actor: Actor) => ({ ...existingDocument(actor), resourceHub: visibleTo(actor) });

interface File {
  deletedAt: Date | null;
  removedAt: Date | null;
  resourceHub: Access;
}

interface Document extends File {
  state: 'draft' | 'published';
  authorId: string;
}

/** {@link visibleFile} for a file that was loaded with its hub's {@link callersAccess}. */
export const canViewFile = (file: File) => matches(file, notDeleted) && canView(file.resourceHub);

/** {@link visibleDocument} for a document that was loaded with its hub's {@link callersAccess}. */
export const canViewDocument = (actor: Actor, document: Document) =>
  matches(document, notDeleted) &&
  publishedOrOwn(actor).some((condition) => matches(document, condition)) &&
  canView(document.resourceHub);

const matches = <Row extends object>(row: Row, condition: Partial<Row>) =>
  Object.entries(condition).every(([column, value]) => row[column as keyof Row] === value);

/** The part of an activity's selection that {@link canViewSubject} needs. */
export const subjectAccess = (actor: Actor) =>
  ({
    goal: { select: callersAccess(actor) },
    file: { select: { deletedAt: true, removedAt: true, resourceHub: { select: hubAccess(actor) } } },
    document: {
      select: {
        deletedAt: true,
        removedAt: true,
        state: true,
        authorId: true,
        resourceHub: { select: hubAccess(actor) },
      },
    },
  }) as const;

interface Subject {
  goal: Access | null;
  file: File | null;
  document: Document | null;
}

/** Whether the caller can see what an activity is about. */
export function canViewSubject(actor: Actor, { goal, file, document }: Subject): boolean {
  if (goal) return canView(goal);
  if (file) return canViewFile(file);
  return document !== null && canViewDocument(actor, document);
}

/** Whether the caller can see what an activity is about, or could if it were not deleted. Nobody sees what was removed. */
export const canViewNameOfSubject = (actor: Actor, { goal, file, document }: Subject): boolean =>
  (file ?? document)?.removedAt == null &&
  canViewSubject(actor, {
    goal,
    file: file && { ...file, ...notDeleted },
    document: document && { ...document, ...notDeleted },
  });

/** The deleted files that the caller may recover, in hubs of their own company: not those that an import has removed. */
export const recoverableFile = (actor: Actor) => ({
  companyId: actor.companyId,
  deletedAt: { not: null },
  removedAt: null,
  resourceHub: editableBy(actor),
});
