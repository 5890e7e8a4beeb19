import { withDeadline } from '../database/query/deadline.js';
import type { Callers } from './limits/callers.js';
import type { Handler } from './route.js';

/**
 * Limits how long a request waits for the database in total. Then it fails with 503. Its caller shares the connections with
 * others.
 */
export const databaseTimeout =
  (milliseconds: number, callers: Callers, next: Handler): Handler =>
  (request, context) =>
    withDeadline(milliseconds, () => next(request, context), context.client && callers.callerOf(context.client));
