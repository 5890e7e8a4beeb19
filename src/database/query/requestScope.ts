import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.js';

/** What is told about the work of one request with the database. */
export interface RequestObserver {
  /** A statement, without its parameters, is sent. Returns what is called when it is answered or has failed. */
  beginStatement(sql: string): (error?: unknown) => void;
  /** The request begins to wait, for the database or for its turn. */
  beginWait(): void;
  /** The request does not wait any more. */
  endWait(): void;
  /** A statement or transaction lost to another, and is repeated. */
  countRepetition(): void;
}

/** How long one request may still wait for the database in all, and since when it is waiting. */
export interface Deadline {
  left: number;
  waits: number;
  since: number;
  /** Who sent the request, as far as that was known when it came. */
  caller: Caller | undefined;
  /** How many connections it holds. */
  held: number;
  /** What of it waits until it holds fewer. */
  queue: (() => void)[];
}

interface RequestScope {
  observer: RequestObserver | undefined;
  deadline: Deadline | undefined;
}

const scope = new AsyncLocalStorage<RequestScope>();

/** Who observes the request that the running code belongs to; undefined outside a request. */
export const currentObserver = (): RequestObserver | undefined => scope.getStore()?.observer;

/** The deadline of the request that the running code belongs to. */
export const currentDeadline = (): Deadline | undefined => scope.getStore()?.deadline;

/** Runs the work of a request. */
export const observed = <T>(observer: RequestObserver, work: () => T): T =>
  scope.run({ observer, deadline: undefined }, work);

/** Runs a part of a request under a deadline. */
export const runWithin = <T>(deadline: Deadline, part: () => T): T =>
  scope.run({ observer: currentObserver(), deadline }, part);

/** Sends a statement, which the request's observer is told about. */
export async function report<T>(sql: string, send: () => Promise<T>): Promise<T> {
  const end = currentObserver()?.beginStatement(sql);
  if (!end) return send();
  try {
    const response = await send();
    end();
    return response;
  } catch (error) {
    end(error);
    throw error;
  }
}
