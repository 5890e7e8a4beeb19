/** The caller: the person behind a token, as every operation and query sees them. */
export interface Actor {
  personId: string;
  companyId: string;
  tokenId: string;
}

/** What the database has as a list with spaces between its items: null is all, and an empty one nothing. */
export const itemsOf = (list: string | null): string[] | null =>
  list === null ? null : list.split(' ').filter(Boolean);

/** Where a token can be used. */
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

/** What {@link callersAccess} loads. */
export interface Access {
  access: { level: number }[];
}

/** The level that {@link callersAccess} loaded. */
export const levelOf = ({ access }: Access): number => access[0]?.level ?? level.none;

export const canView = (row: Access) => levelOf(row) >= level.view;
export const canEdit = (row: Access) => levelOf(row) >= level.edit;
