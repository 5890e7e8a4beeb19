import type { Plugin as YogaPlugin } from 'graphql-yoga';
import type { LiveBody } from '../http/liveBody.js';
import type { RequestContext } from '../http/route.js';
import type { QueryCost } from './queryCost.js';

/** What the plugins know about a request: its surface, and what they tell each other. */
export interface OperationContext extends RequestContext {
  surface: 'REST' | 'GraphQL';
  /** How many operations a batch has. Batches are refused. */
  batchSize?: number;
  cost?: QueryCost;
  /** Whether its response is long. */
  isLong?: boolean;
  /** What a subscription responds with. */
  live?: LiveBody;
}

/** A plugin of Yoga for our requests. */
export type Plugin = YogaPlugin<OperationContext, OperationContext>;
