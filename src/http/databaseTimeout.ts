import { newScope } from '../database/query/requestScope.js';
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
    const { client, record: observer } = context;
    const scope = newScope(milliseconds, { observer, ...(client && { caller: callers.callerOf(client) }) });
    context.scope = scope;
    const response = await next(request, context);
    if (!response.live) return response;
    const withinItsOwnTime = (make: () => Promise<string | undefined>) => {
      scope.left = milliseconds;
      return make();
    };
    return { ...response, live: eachPiece(response.live, withinItsOwnTime) };
  };
