import { setImmediate } from 'node:timers/promises';
import { createContextCache } from '@pothos/core';
import { type GraphQLResolveInfo, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { failure } from '../errors/failures.js';
import { namesBeneath } from './namesBeneath.js';

/** The most items that all lists of one query may have together. Decisions: "Query cost". */
const mostItems = 100_000;
/** The most characters of names and long texts in the answer to one query. */
const mostCharacters = 64_000_000;
const longTextLength = 1_000;
/** How many items of an answer are completed before other requests have a turn. */
const itemsInATurn = 2_000;

type Operation = Pick<OperationDefinitionNode, 'operation'>;

/** What the answer to one operation has become so far. Only a query has limits: a mutation has been made by then. */
class AnswerBudget {
  #items = 0;
  #characters = 0;
  readonly #turns = [Promise.resolve()];

  /**
   * Counts the items of a list, each with the names of its fields, and makes each a promise that is resolved in its turn.
   * Throws 400 if a query has too many.
   */
  promised(items: readonly unknown[], info: GraphQLResolveInfo): Promise<unknown>[] {
    const before = this.#items;
    this.#items += items.length;
    if (info.operation.operation === OperationTypeNode.QUERY) requireAtMost('items', this.#items, mostItems);
    this.addText(items.length * namesBeneath(info), info.operation);
    return items.map((item, index) => {
      const turn = Math.floor((before + index) / itemsInATurn);
      return turn === 0 ? Promise.resolve(item) : this.#turn(turn).then(() => item);
    });
  }

  /** Throws 400 if the names and texts of a query have too many characters. */
  addText(characters: number, { operation }: Operation): void {
    this.#characters += characters;
    if (operation === OperationTypeNode.QUERY) requireAtMost('characters', this.#characters, mostCharacters);
  }

  #turn(number: number): Promise<void> {
    const known = this.#turns[number];
    if (known) return known;
    const turn = this.#turn(number - 1).then(() => setImmediate());
    this.#turns[number] = turn;
    return turn;
  }
}

function requireAtMost(limit: string, actual: number, maximum: number): void {
  if (actual > maximum) throw failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit, maximum }] });
}

export const answerBudget = createContextCache((_context: object) => new AnswerBudget());

/** The same value. A long text is counted. */
export function budgeted(value: unknown, context: object, { operation }: { operation: Operation }): unknown {
  if (typeof value === 'string' && value.length > longTextLength) {
    answerBudget(context).addText(value.length, operation);
  }
  return value;
}
