import type { Context } from '../context.js';
import type { RequestContext } from '../http/route.js';
import type { AppOptions } from './options.js';

type ContextNeeds = Required<Pick<AppOptions, 'db' | 'clock' | 'appUrl' | 'streams' | 'webhooks'>>;

/** What resolvers get: a new object for each operation, because Pothos caches what it loads on it. */
export const contexts =
  ({ db, clock, appUrl, streams, webhooks }: ContextNeeds) =>
  ({ actor, req, scope }: RequestContext): Context => {
    if (!actor) throw new Error('a request passed the router without an actor');
    const lastEventId = req?.headers['last-event-id'];
    return {
      db: db.within(scope),
      actor,
      now: clock(),
      appUrl,
      streams,
      webhooks,
      lastEventId: lastEventId ? String(lastEventId) : null,
      shared: new Map(),
    };
  };
