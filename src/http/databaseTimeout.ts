import { withDeadline } from '../database/query/deadline.js';
import type { Callers } from './limits/callers.js';
import { eachPiece } from './liveBody.js';
import type { Handler } from './route.js';

/**
 * Limits how long a request waits for the database in total, and each piece of a body that goes on. Then it fails with
 * 503. Its caller shares the connections with others.
 */
export const databaseTimeout =
  (milliseconds: number, callers: Callers, next: Handler): Handler =>
  async (request, context) => {
    const limited = <T>(work: () => Promise<T>): Promise<T> =>
      withDeadline(milliseconds, work, context.client && callers.callerOf(context.client));
    const response = await limited(() => next(request, context));
    return response.live ? { ...response, live: eachPiece(response.live, limited) } : response;
  };
