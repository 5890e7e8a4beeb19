/** The people of the demo workspace, prisma/demo-workspace.json, who get its tokens. */
export const demoPeople = { writerId: 'person-tomas-okafor', readerId: 'person-jonas-weber' } as const;
