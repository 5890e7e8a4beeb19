import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { answerBudget } from './answerBudget.js';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      promisedItems: PromisedItemsPlugin<Types>;
    }
  }
}

/**
 * Makes every item of every list a promise. When an item throws while it is completed (a resolver, an argument, a
 * directive, a scalar), the executor abandons the items before it, and a later rejection of one of them, which nobody
 * handles, would end the process. An item that is a promise cannot throw; it can only reject, which the executor awaits.
 */
class PromisedItemsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { type }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (type.kind !== 'List') return resolve;
    return async (...given) => {
      const items: unknown = await resolve(...given);
      if (!Array.isArray(items)) return items;
      const [, , context, { operation }] = given;
      return answerBudget(context).promised(items, { isQuery: operation.operation === 'query' });
    };
  }
}

SchemaBuilder.registerPlugin('promisedItems', PromisedItemsPlugin);
