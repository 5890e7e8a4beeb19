import { LRUCache } from 'lru-cache';
import { failure } from '../errors/failures.js';

export const restTypes = ['application/json'];
export const graphqlTypes = ['application/json', 'application/graphql-response+json'];
/** Of the response to a subscription. */
export const streamType = 'text/event-stream';

interface Range {
  type: string;
  quality: number;
}

/** Throws 406 if the `Accept` header rejects every response type. A missing or unreadable header accepts all. */
export function requireAcceptable(accept: string | null, types: readonly string[]): void {
  const ranges = rangesOf(accept);
  const acceptsProblems = ranges.some(({ type, quality }) => type === 'application/problem+json' && quality > 0);
  if (ranges.length === 0 || acceptsProblems || types.some((type) => qualityOf(type, ranges) > 0)) return;
  throw failure('NOT_ACCEPTABLE', { types });
}

/** Throws 406 unless the `Accept` header names the type of streams: who does not would wait for an end that never comes. */
export function requireStream(accept: string | null): void {
  if (rangesOf(accept).some(({ type, quality }) => type === streamType && quality > 0)) return;
  throw failure('NOT_ACCEPTABLE', { types: [streamType], isSubscription: true });
}

/** The media type of a GraphQL response that the client prefers. Yoga itself ignores qualities. */
export const graphqlTypeFor = (accept: string | null): string => preferred.memo(accept ?? '');

// A client sends the same header each time, and each request reads it three times.
const known = new LRUCache<string, readonly Range[]>({ max: 100, memoMethod: readAccept });
const preferred = new LRUCache<string, string>({ max: 100, memoMethod: preferredOf });
const rangesOf = (accept: string | null) => known.memo(accept ?? '');

function preferredOf(accept: string): string {
  const ranges = rangesOf(accept);
  // Who asks for a stream gets its failures with their status.
  if (graphqlTypes.every((type) => qualityOf(type, ranges) === 0) && qualityOf(streamType, ranges) > 0) {
    return 'application/graphql-response+json';
  }
  const position = (type: string) => ranges.findIndex((range) => range.type === type) >>> 0;
  const [best = 'application/json'] = graphqlTypes.toSorted(
    (one, other) => qualityOf(other, ranges) - qualityOf(one, ranges) || position(one) - position(other),
  );
  return best;
}

// Our own, because the package `negotiator` rejects `application/json; charset=utf-8` and every header it cannot read.
function readAccept(accept: string): Range[] {
  return accept.split(',').flatMap((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    if (!/^[^/\s]+\/[^/\s]+$/.test(type)) return [];
    const quality = Number(/^q\s*=\s*([\d.]+)$/.exec(parameters.find((part) => part.startsWith('q')) ?? '')?.[1] ?? 1);
    return [{ type, quality: Number.isNaN(quality) ? 1 : quality }];
  });
}

/** The quality that the most specific range gives to a type; 0 if no range matches. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  for (const wanted of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const qualities = ranges.filter((range) => range.type === wanted).map(({ quality }) => quality);
    if (qualities.length > 0) return Math.max(...qualities);
  }
  return 0;
}
