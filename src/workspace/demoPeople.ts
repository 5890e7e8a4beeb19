/** The people in prisma/demo-workspace.json who get the demo's tokens, and their company. */
export const demoPeople = {
  companyId: 'company-harborlight',
  writerId: 'person-tomas-okafor',
  readerId: 'person-jonas-weber',
} as const;
