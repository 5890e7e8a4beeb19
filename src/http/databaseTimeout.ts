import { withPatience } from '../database/patience.js';
import type { Handle } from './route.js';

/** Limits how long a request waits for the database in all. Then it fails with 503. */
export const databaseTimeout =
  (milliseconds: number, next: Handle): Handle =>
  (request, context) =>
    withPatience(milliseconds, () => next(request, context));
