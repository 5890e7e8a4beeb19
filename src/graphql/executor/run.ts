import { setImmediate } from 'node:timers/promises';
import { type FieldNode, GraphQLError, locatedError, type ResponsePath, responsePathAsArray } from 'graphql';
import { withoutStack } from '../../errors/failures.js';
import type { ResponseBudget } from './responseBudget.js';

/** Where a value stands in the response. */
export interface ResponsePosition extends ResponsePath {
  readonly prev: ResponsePosition | undefined;
  /** Whether an error has made it null, which hides all errors beneath it. */
  isNull?: boolean;
}

/** What has a type, and becomes null if it fails. */
interface Place {
  nodes: readonly FieldNode[];
  isRequired: boolean;
}

/** How many items of a response are completed before other requests have a turn. */
const itemsInATurn = 500;

/** One execution of an operation. */
export class Run {
  readonly errors: GraphQLError[] = [];
  #items = 0;
  #nextTurn: Promise<void> | undefined;

  constructor(
    readonly variables: Record<string, unknown>,
    readonly context: unknown,
    readonly rootValue: unknown,
    readonly budget: ResponseBudget | undefined,
  ) {}

  /** Called for each item of a list. What it returns has to be waited for before that is completed. */
  waitForTurn(): Promise<void> | undefined {
    this.#items += 1;
    if (this.#items <= itemsInATurn) return undefined;
    this.#nextTurn ??= setImmediate().then(() => {
      this.#items = 0;
      this.#nextTurn = undefined;
    });
    return this.#nextTurn;
  }

  /** Handles what failed where a value should be: it becomes null, or what it is part of fails. */
  fail(error: unknown, { nodes, isRequired }: Place, position: ResponsePosition): null {
    const located = at(error, nodes, responsePathAsArray(position));
    if (isRequired) throw located;
    if (!isHidden(position)) this.errors.push(located);
    position.isNull = true;
    return null;
  }
}

/** As graphql-js makes it, but what is expected to fail has no stack, which takes longer than all else. */
function at(error: unknown, nodes: readonly FieldNode[], path: readonly (string | number)[]): GraphQLError {
  if (!(error instanceof GraphQLError) || error.path || error.originalError) return locatedError(error, nodes, path);
  const { message, source, positions, extensions } = error;
  const place = { nodes: error.nodes ?? nodes, source, positions, path };
  return withoutStack(() => new GraphQLError(message, { ...place, extensions }));
}

function isHidden(position: ResponsePosition): boolean {
  for (let place: ResponsePosition | undefined = position; place; place = place.prev) if (place.isNull) return true;
  return false;
}

export type Maybe<T> = T | Promise<T>;

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Replaces a promise by its value. */
export async function put<Key extends PropertyKey>(
  values: Record<Key, unknown>,
  key: Key,
  promise: Promise<unknown>,
): Promise<void> {
  values[key] = await promise;
}

/** Throws once all that is under way has ended or some of it has failed, so that no rejection is unhandled. */
export function failAfter(pending: readonly Promise<unknown>[], error: unknown): Promise<never> {
  const rethrow = () => {
    throw error;
  };
  return pending.length === 0 ? rethrow() : Promise.all(pending).then(rethrow, rethrow);
}
