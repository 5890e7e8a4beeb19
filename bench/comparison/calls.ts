/** What a client asks for, however a contender wants it spelled. */
export type Call =
  | { kind: 'restore'; documentId: string; versionNumber: number; expectedCurrentVersion: number }
  | { kind: 'reopen'; id: string; message: string; subscriberIds: string[]; everyone: boolean }
  | { kind: 'delete'; fileId: string }
  | { kind: 'goal'; id: string }
  | { kind: 'page' }
  /** Several restores in one request: all of them or none. */
  | { kind: 'restores'; restores: Omit<Extract<Call, { kind: 'restore' }>, 'kind'>[] };

export interface Request {
  path: string;
  body: string;
}

/** How a contender wants a call, and where its answer has what was asked for. */
export type Spelling = (call: Call) => Request;

export const pageSize = 50;
