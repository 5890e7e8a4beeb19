import { withDeadline } from '../database/query/deadline.js';
import type { Handler } from './route.js';

/** Limits how long a request waits for the database in total. Then it fails with 503. */
export const databaseTimeout =
  (milliseconds: number, next: Handler): Handler =>
  (request, context) =>
    withDeadline(milliseconds, () => next(request, context));
