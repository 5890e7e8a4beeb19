/** A person behind a token, as every operation and query sees the caller. */
export interface Actor {
  personId: string;
  companyId: string;
  tokenId: string;
  canWrite: boolean;
}

/** The access ladder; the database views `*_access` say which step a person stands on (README: Access ladder). */
export const level = { none: 0, view: 10, comment: 40, edit: 70, full: 100 } as const;

/** The part of a selection that loads the caller's own level on a space, goal, project or hub. */
export const callersAccess = (actor: Actor) => ({
  access: { where: { personId: actor.personId }, select: { level: true } } as const,
});

/** The level that {@link callersAccess} loaded. */
export const levelOf = (row: { access: { level: number }[] }): number => row.access[0]?.level ?? level.none;

export const canView = (row: { access: { level: number }[] }) => levelOf(row) >= level.view;
export const canEdit = (row: { access: { level: number }[] }) => levelOf(row) >= level.edit;

/** The one filter for "visible to": spaces, goals, projects and hubs of the caller's own company. */
export const visibleTo = (actor: Actor) => ({
  companyId: actor.companyId,
  access: { some: { personId: actor.personId, level: { gte: level.view } } },
});

/** Files of a visible hub that are not deleted. */
export const visibleFile = (actor: Actor) => ({ deletedAt: null, resourceHub: visibleTo(actor) });

/** Documents that are not deleted, and no drafts but the caller's own. */
export const notOthersDraft = (actor: Actor) => ({
  deletedAt: null,
  OR: [{ state: 'published' as const }, { authorId: actor.personId }],
});

/** Such documents of a visible hub. */
export const visibleDocument = (actor: Actor) => ({ ...notOthersDraft(actor), resourceHub: visibleTo(actor) });

type Access = { access: { level: number }[] };

/** The same of a file that was loaded with its hub's {@link callersAccess}. */
export const canViewFile = (file: { deletedAt: Date | null; resourceHub: Access }) =>
  file.deletedAt === null && canView(file.resourceHub);

/** The same of such a document. */
export const canViewDocument = (
  actor: Actor,
  document: { deletedAt: Date | null; state: string; authorId: string; resourceHub: Access },
) =>
  document.deletedAt === null &&
  (document.state === 'published' || document.authorId === actor.personId) &&
  canView(document.resourceHub);

/** The part of an activity's selection that tells whether the caller may see what it is about. */
export const subjectAccess = (actor: Actor) =>
  ({
    goal: { select: callersAccess(actor) },
    file: { select: { deletedAt: true, resourceHub: { select: callersAccess(actor) } } },
    document: {
      select: { deletedAt: true, state: true, authorId: true, resourceHub: { select: callersAccess(actor) } },
    },
  }) as const;

export function canViewSubject(
  actor: Actor,
  {
    goal,
    file,
    document,
  }: {
    goal: Access | null;
    file: Parameters<typeof canViewFile>[0] | null;
    document: Parameters<typeof canViewDocument>[1] | null;
  },
): boolean {
  if (goal) return canView(goal);
  if (file) return canViewFile(file);
  return document !== null && canViewDocument(actor, document);
}
