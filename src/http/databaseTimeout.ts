import { withPatience } from '../database/patience.js';
import type { Step } from './route.js';

/** Limits how long a request waits for the database in all. Then it fails with 503. */
export const useDatabaseTimeout = (milliseconds: number): Step => ({
  instrumentation: { request: (_payload, handle) => withPatience(milliseconds, handle) },
});
