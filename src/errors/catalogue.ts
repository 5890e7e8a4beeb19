import { accessErrors } from './entries/access.js';
import { conflicts } from './entries/conflicts.js';
import { graphqlErrors } from './entries/graphql.js';
import { httpErrors } from './entries/http.js';
import { inputErrors } from './entries/input.js';
import { serverErrors } from './entries/server.js';
import type { Entry } from './entry.js';

const entries = { ...inputErrors, ...httpErrors, ...graphqlErrors, ...accessErrors, ...conflicts, ...serverErrors };

export type ErrorCode = keyof typeof entries;

/** What a failure of this code is worded from. */
export type FactsOf<Code extends ErrorCode> = (typeof entries)[Code]['example'];

/**
 * Every way a request can fail. The one source of the status, title, wording and members of each code on both surfaces,
 * of the OpenAPI responses and of the pages `/errors/<code>`.
 */
export const catalogue: Readonly<Record<ErrorCode, Entry>> = entries;

/** By status. */
export const errorCodes = (Object.keys(entries) as ErrorCode[]).sort(
  (one, other) => catalogue[one].status - catalogue[other].status,
);

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(catalogue, code);
