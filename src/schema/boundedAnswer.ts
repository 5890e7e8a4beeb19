import { setImmediate } from 'node:timers/promises';
import SchemaBuilder, {
  BasePlugin,
  createContextCache,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { tooLong } from '../errors/failures.js';
import { namesBeneath } from './namesBeneath.js';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      boundedAnswer: BoundedAnswerPlugin<Types>;
    }
  }
}

/** What each item of a list counts, besides the names of its fields: it takes time and memory, however short it is. */
const itemLength = 600;
/** Shorter texts are not counted, which would cost more time than it is worth. */
const longTextLength = 1_000;
/** How many items of an answer are completed before other requests have a turn. */
const itemsInATurn = 2_000;

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** What the answer to one operation has become so far. */
class AnswerBudget {
  readonly #maximum: number;
  #characters = 0;
  #items = 0;
  #turn = Promise.resolve();

  constructor(maximum = Number.POSITIVE_INFINITY) {
    this.#maximum = maximum;
  }

  /** Throws 400 if the answer has too many characters. */
  spend(characters: number): void {
    this.#characters += characters;
    if (this.#characters > this.#maximum) throw tooLong(this.#maximum);
  }

  /** Counts the items of a list, and makes each a promise that is resolved in its turn. */
  promised(items: readonly unknown[], info: Info): Promise<unknown>[] {
    this.spend(items.length * (itemLength + namesBeneath(info)));
    return items.map((item) => {
      const promise = this.#turn.then(() => item);
      this.#items += 1;
      if (this.#items % itemsInATurn === 0) this.#turn = this.#turn.then(() => setImmediate());
      return promise;
    });
  }
}

export const answerBudget = createContextCache(
  ({ responseCharacters }: Pick<Context, 'responseCharacters'>) => new AnswerBudget(responseCharacters),
);

/**
 * Counts the items of every list and the characters of every long text against the answer's budget.
 *
 * Makes every item a promise, too. When an item throws while it is completed (a resolver, an argument, a directive, a
 * scalar), the executor abandons the items before it, and a later rejection of one of them, which nobody handles, would
 * end the process. An item that is a promise cannot throw; it can only reject, which the executor awaits.
 */
class BoundedAnswerPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, { type }: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (type.kind === 'List') {
      return async (row, args, context, info) => {
        const items: unknown = await resolve(row, args, context, info);
        return Array.isArray(items) ? answerBudget(context).promised(items, info) : items;
      };
    }
    if (type.kind !== 'Scalar' || this.buildCache.getTypeConfig(type.ref).name !== 'String') return resolve;
    return (row, args, context, info) => {
      const counted = (text: unknown) => {
        if (typeof text === 'string' && text.length > longTextLength) answerBudget(context).spend(text.length);
        return text;
      };
      const text: unknown = resolve(row, args, context, info);
      return text instanceof Promise ? text.then(counted) : counted(text);
    };
  }
}

SchemaBuilder.registerPlugin('boundedAnswer', BoundedAnswerPlugin);
