/** The columns that each type loads in any case, to be loaded again by. Its fields say which others they need. */
export const keyColumns = { companyId: true, id: true } as const;
