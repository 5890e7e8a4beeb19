/** What the start command and its examples use of the demo workspace, prisma/demo-workspace.json. */
export const demo = {
  closedGoalId: 'goal-launch-mobile-app',
  fileId: 'file-home-screen',
  documentId: 'doc-launch-plan',
  currentVersion: 5,
  /** Differs from the current one in title and content. */
  versionToRestore: 2,
  /** May edit all three of them. */
  writerId: 'person-tomas-okafor',
  spaceId: 'space-digital',
  resourceHubId: 'hub-digital',
  folderId: 'folder-brand',
  readerId: 'person-jonas-weber',
} as const;
