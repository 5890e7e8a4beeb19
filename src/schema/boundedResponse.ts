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
      boundedResponse: BoundedResponsePlugin<Types>;
    }
  }
}

/** What each item of a list counts, besides the names of its fields: it takes time and memory, however short it is. */
const itemLength = 600;
/** Shorter texts are not counted, which would cost more time than it is worth. */
const longTextLength = 1_000;
/** How many items of a response are completed before other requests have a turn. */
const itemsInATurn = 500;
/** From how many characters on a response is long, and waits for its turn. */
const longResponse = 1_000_000;

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;
type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** What the response to one operation has become so far. */
class ResponseBudget {
  readonly #maximum: number;
  readonly #becomeLong: Context['becomeLong'];
  #characters = 0;
  #items = 0;
  #turn = Promise.resolve();

  constructor({ responseCharacters = Number.POSITIVE_INFINITY, becomeLong }: Limits) {
    this.#maximum = responseCharacters;
    this.#becomeLong = becomeLong;
  }

  /** Counts the items of a list, and makes each a promise that is resolved in its turn. */
  list(items: readonly unknown[], info: Info): Promise<unknown>[] | Promise<Promise<unknown>[]> {
    return this.#after(items.length * (itemLength + namesBeneath(info)), () => this.#promised(items));
  }

  text(text: string): string | Promise<string> {
    return this.#after(text.length, () => text);
  }

  /**
   * Goes on if the response has room for more characters. Throws 400 otherwise, also if a field that waited as long has
   * taken the rest: then nothing of the response is completed for nothing.
   */
  #after<T>(characters: number, goOn: () => T): T | Promise<T> {
    this.#characters += characters;
    this.#check();
    if (!this.#becomeLong || this.#characters <= longResponse) return goOn();
    return this.#becomeLong().then(() => {
      this.#check();
      return goOn();
    });
  }

  #check(): void {
    if (this.#characters > this.#maximum) throw tooLong(this.#maximum);
  }

  #promised(items: readonly unknown[]): Promise<unknown>[] {
    return items.map((item) => {
      const promise = this.#turn.then(() => item);
      this.#items += 1;
      if (this.#items % itemsInATurn === 0) this.#turn = this.#turn.then(() => setImmediate());
      return promise;
    });
  }
}

type Limits = Pick<Context, 'responseCharacters' | 'becomeLong'>;

export const responseBudget = createContextCache((limits: Limits) => new ResponseBudget(limits));

/**
 * Counts the items of every list and the characters of every long text against the response's budget.
 *
 * Makes every item a promise, too. When an item throws while it is completed (a resolver, an argument, a directive, a
 * scalar), the executor abandons the items before it, and a later rejection of one of them, which nobody handles, would
 * end the process. An item that is a promise cannot throw; it can only reject, which the executor awaits.
 */
class BoundedResponsePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, { type }: PothosOutputFieldConfig<Types>): Resolver<Types> {
    if (type.kind === 'List') {
      return async (row, args, context, info) => {
        const items: unknown = await resolve(row, args, context, info);
        return Array.isArray(items) ? responseBudget(context).list(items, info) : items;
      };
    }
    if (type.kind !== 'Scalar' || this.buildCache.getTypeConfig(type.ref).name !== 'String') return resolve;
    return (row, args, context, info) => {
      const counted = (text: unknown) =>
        typeof text === 'string' && text.length > longTextLength ? responseBudget(context).text(text) : text;
      const text: unknown = resolve(row, args, context, info);
      return text instanceof Promise ? text.then(counted) : counted(text);
    };
  }
}

SchemaBuilder.registerPlugin('boundedResponse', BoundedResponsePlugin);
