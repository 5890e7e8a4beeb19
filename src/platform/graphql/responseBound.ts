import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
} from 'graphql';
import { failure } from '../failures/index.js';

/** What is sent in place of a response with more than that. */
export const tooLong = (limit: 'characters' | 'items', maximum: number) =>
  failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit, maximum }] });

/** The most characters in the response to a GraphQL request. */
const mostCharacters = 16_000_000;
/** The most items of lists in it, also of those that have no pages. */
const mostItems = 25_000;

/** What the response to one document of a caller may have. Its context carries it. */
export class ResponseBound {
  #items = 0;

  constructor(readonly characters = mostCharacters) {}

  countItems(count: number): void {
    this.#items += count;
    if (this.#items > mostItems) throw tooLong('items', mostItems);
  }

  /** Counts the texts and names of what is complete. Throws 400 if it is too long. */
  requireShort(data: unknown): void {
    if (lengthOf(data) > this.characters) throw tooLong('characters', this.characters);
  }
}

/** About how many characters its JSON has. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  if (Array.isArray(value)) for (const item of value) length += lengthOf(item);
  else for (const name in value) length += name.length + 4 + lengthOf(value[name as keyof typeof value]);
  return length;
}

/** Executes a valid operation, whose response has no more than its bound. */
export async function executeWithin(bound: ResponseBound | undefined, args: ExecutionArgs): Promise<ExecutionResult> {
  try {
    const result = await execute(args);
    bound?.requireShort(result.data);
    return result;
  } catch (error) {
    return { errors: [error as GraphQLError], data: null };
  }
}

/** Makes a list count before it is completed, whatever its resolver does. */
export function withItemsCounted<Parent, Args, Given extends object>(
  resolve: GraphQLFieldResolver<Parent, Given, Args>,
): GraphQLFieldResolver<Parent, Given, Args> {
  return (parent, args, context, info) => {
    const counted = (value: unknown) => {
      if (Array.isArray(value)) (context as { bound?: ResponseBound } | undefined)?.bound?.countItems(value.length);
      return value;
    };
    const value: unknown = resolve(parent, args, context, info);
    return value instanceof Promise ? value.then(counted) : counted(value);
  };
}
