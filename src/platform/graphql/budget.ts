import { setImmediate } from 'node:timers/promises';
import {
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  getNullableType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { failure } from '../failures/index.js';

/** What is sent in place of a response with more than that. */
export const tooLong = (limit: 'characters' | 'items', maximum: number) =>
  failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit, maximum }] });

/** The most characters in the response to a GraphQL request. Decisions: "Query cost". */
export const mostCharacters = 16_000_000;
/** The most items of lists in the response to a document of a caller. */
const mostItems = 25_000;
/** From how much on a response is long, and waits for its turn. */
const long = { items: 1_500, characters: 1_000_000 };
/** How many items of a response are completed before other requests have a turn. */
const itemsInATurn = 500;
/** How many of its values are counted before that. */
const valuesInATurn = 50_000;

interface Limits {
  /** The most characters in the response. */
  responseCharacters: number;
  /** Waits until the response may become long. Omitted if it may at once. */
  becomeLong?: () => Promise<void>;
  /** The most characters that each item may show, by what was read. Omitted if that is not known. */
  charactersOfItem?: () => number;
}

/** What the response to one operation has become so far. Without limits, it only gives others their turns. */
export class ResponseBudget {
  readonly #limits: Limits | undefined;
  #items = 0;
  #begun = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor(limits?: Limits) {
    this.#limits = limits;
  }

  /** The items of a list as they may be completed. Rejected, never thrown, as others of the response may be under way. */
  itemsOf(list: readonly unknown[]): readonly unknown[] | Promise<readonly unknown[]> {
    this.#items += list.length;
    const check = async () => {
      if (this.#limits && this.#items > mostItems) throw tooLong('items', mostItems);
      return this.#inTurns(list);
    };
    const { becomeLong } = this.#limits ?? {};
    if (!this.#limits || this.#items <= long.items) return this.#inTurns(list);
    // Checked again: a list that waited as long may have taken the rest.
    return becomeLong && this.#items <= mostItems ? becomeLong().then(check) : check();
  }

  /** Counts the texts and names of what is complete. Throws 400 if it is too long. */
  async count(data: unknown): Promise<void> {
    if (!this.#limits) return;
    const { responseCharacters, becomeLong, charactersOfItem } = this.#limits;
    // Most need not be looked at: that takes as long as writing them.
    if (charactersOfItem && charactersOfItem() * (1 + this.#items) < 4 * long.characters) return;
    const characters = await lengthOf(data);
    if (characters > responseCharacters) throw tooLong('characters', responseCharacters);
    if (characters > long.characters) await becomeLong?.();
  }

  /** What still waits for its turn is not completed. */
  end(): void {
    this.#hasEnded = true;
  }

  #inTurns(list: readonly unknown[]): readonly unknown[] {
    if (this.#begun + list.length <= itemsInATurn) {
      this.#begun += list.length;
      return list;
    }
    return list.map((item) => {
      this.#begun += 1;
      if (this.#begun <= itemsInATurn) return item;
      if (this.#begun % itemsInATurn === 1) this.#turn = this.#turn.then(() => this.#nextTurn());
      return this.#turn.then(() => item);
    });
  }

  async #nextTurn(): Promise<void> {
    await setImmediate();
    if (this.#hasEnded) await new Promise(() => {});
  }
}

/** About how many characters its JSON has. Others have their turns while they are counted. */
async function lengthOf(data: unknown): Promise<number> {
  let length = 0;
  const rest = [data];
  for (let counted = 1; rest.length > 0; counted += 1) {
    const value = rest.pop();
    if (typeof value === 'string') length += value.length;
    else if (Array.isArray(value)) for (const item of value) rest.push(item);
    else if (typeof value === 'object') {
      for (const name in value) {
        length += name.length + 4;
        rest.push(value[name as keyof typeof value]);
      }
    }
    if (counted % valuesInATurn === 0) await setImmediate();
  }
  return length;
}

interface Budgeted {
  budget?: ResponseBudget;
}

/** Executes a valid operation within a budget, of which the lists of its schema take. */
export async function executeWithin(budget: ResponseBudget, args: ExecutionArgs): Promise<ExecutionResult> {
  try {
    const contextValue = Object.assign(args.contextValue as object, { budget } satisfies Budgeted);
    const result = await execute({ ...args, contextValue });
    await budget.count(result.data);
    return result;
  } catch (error) {
    return { errors: [error as GraphQLError], data: null };
  } finally {
    budget.end();
  }
}

/** Makes the lists of a schema take of the budget of their operation, whatever their resolvers do. */
export function withBudget(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type))) continue;
      const { resolve = defaultFieldResolver } = field;
      field.resolve = (parent, args, context, info) => {
        const itemsOf = (value: unknown) =>
          Array.isArray(value) ? ((context as Budgeted | undefined)?.budget?.itemsOf(value) ?? value) : value;
        const value: unknown = resolve(parent, args, context, info);
        return value instanceof Promise ? value.then(itemsOf) : itemsOf(value);
      };
    }
  }
  return schema;
}
