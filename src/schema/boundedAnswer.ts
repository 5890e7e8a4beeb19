import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { answerBudget, budgeted } from './answerBudget.js';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      boundedAnswer: BoundedAnswerPlugin<Types>;
    }
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * Counts the items of every list and the characters of every text against the answer's budget.
 *
 * Makes every item a promise, too. When an item throws while it is completed (a resolver, an argument, a directive, a
 * scalar), the executor abandons the items before it, and a later rejection of one of them, which nobody handles, would
 * end the process. An item that is a promise cannot throw; it can only reject, which the executor awaits.
 */
class BoundedAnswerPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, { type }: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (type.kind === 'List') {
      return async (...given) => {
        const items: unknown = await resolve(...given);
        if (!Array.isArray(items)) return items;
        const [, , context, info] = given;
        return answerBudget(context).promised(items, info);
      };
    }
    if (type.kind !== 'Scalar' || this.buildCache.getTypeConfig(type.ref).name !== 'String') return resolve;
    // Not a list of arguments, which costs time for each value.
    return (row, args, context, info) => {
      const text: unknown = resolve(row, args, context, info);
      return text instanceof Promise
        ? text.then((value) => budgeted(value, context, info))
        : budgeted(text, context, info);
    };
  }
}

SchemaBuilder.registerPlugin('boundedAnswer', BoundedAnswerPlugin);
