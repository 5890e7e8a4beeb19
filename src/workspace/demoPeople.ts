/** The people in prisma/demo-workspace.json who get the demo's tokens. */
export const demoPeople = { writerId: 'person-tomas-okafor', readerId: 'person-jonas-weber' } as const;
