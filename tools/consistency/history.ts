/** One change that a mutation asks for. */
export type Change =
  | { kind: 'restore'; documentId: string; versionNumber: number; expectedCurrentVersion: number }
  | { kind: 'reopen'; goalId: string; message: string; subscriberIds: string[]; everyone: boolean }
  | { kind: 'delete' | 'recover'; fileId: string };

/** When something was asked for and when the answer was there, in milliseconds. */
interface Window {
  sent: number;
  answered: number;
}

export interface Attempt extends Window {
  /** The status; 0 if the connection was cut before the answer was complete. */
  status: number;
  code?: string | undefined;
  requestId: string;
  /** The body without request ids. */
  text: string;
  replayed: boolean;
  /** The id of the new version for each change, as the answer says. */
  restored: (string | null | undefined)[];
  /** After a 200: whether the database had the change when the answer arrived, where a change can be recognized. */
  seen?: boolean[];
}

/** What a client wants once, however often it sends it. */
export interface Mutation {
  personId: string;
  tokenId: string;
  token: string;
  surface: 'REST' | 'GraphQL';
  key?: string | undefined;
  /** Whether the GraphQL answer takes arguments. */
  nested: boolean;
  changes: Change[];
  attempts: Attempt[];
}

/** What the main application writes beside the gateway; done is null if its connection was cut. */
export interface Written extends Window {
  kind: 'edit' | 'close' | 'revoke';
  /** The document, the goal or the token. */
  id: string;
  /** By which the row is recognized: the content of the version, the id of the activity. */
  mark: string;
  done: boolean | null;
}

/** People that the rules of notifications tell apart. */
export interface Audience {
  members: string[];
  /** Who can never be notified: suspended, or without access. */
  excluded: string[];
  /** Who is notified of the deletion of a file. */
  fileSubscribers: string[];
}

/** All that clients and the main application asked for, and were told. */
export class History {
  readonly mutations: Mutation[] = [];
  readonly written: Written[] = [];
  /** Of each row of the history, as it was when it was first seen. */
  readonly hashes = new Map<string, string>();

  /** Tells the rows of this history from others in the database: their ids start with it. */
  constructor(
    readonly prefix: string,
    readonly audience: Audience,
  ) {}
}

/** Refused by a busy gateway, which promises that nothing was changed. */
export const isShed = ({ status, text }: Attempt) => status === 503 && text.includes('The server is overloaded');

/** An answer that leaves open whether the change was made. */
export const isOpen = (attempt: Attempt) => attempt.status === 0 || (attempt.status === 503 && !isShed(attempt));

/** A status that the operation itself decided, so that every retry with the same key must get it too. */
export const isDecided = (attempt: Attempt) =>
  !isOpen(attempt) && ![401, 429, 503].includes(attempt.status) && attempt.code !== 'IDEMPOTENCY_KEY_IN_USE';
