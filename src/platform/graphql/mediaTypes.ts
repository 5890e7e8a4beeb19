import { failure } from '../failures/index.js';
import { readAccept, requireAcceptable } from '../http/index.js';

/** Its clients, which are older than the other type, read `errors` only from a response with 200. */
export const plainJson = 'application/json';
const jsonTypes = [plainJson, 'application/graphql-response+json'] as const;
/** Of the response to a subscription. */
export const streamType = 'text/event-stream';
/** Of all responses, whatever the operation. */
export const responseTypes = [...jsonTypes, streamType];

/** Throws 406 unless `Accept` allows the response to an operation. It must name a stream: a client that expects none would wait for its end. */
export function requireType(accept: string | null, isSubscription: boolean): void {
  if (!isSubscription) requireAcceptable(accept, jsonTypes);
  else if (!readAccept(accept).names(streamType))
    throw failure('NOT_ACCEPTABLE', { types: [streamType], isSubscription });
}

/** The media type that the client prefers; Yoga itself ignores qualities. A client that asks for a stream gets its failures with their status. */
export function typeFor(accept: string | null): string {
  const accepted = readAccept(accept);
  return accepted.preferred(jsonTypes) ?? jsonTypes[accepted.quality(streamType) > 0 ? 1 : 0];
}
