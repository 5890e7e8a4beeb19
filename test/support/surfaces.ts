import { type Operation, operationsUnderTest } from './operations.js';
import { type Json, restPaths, type World } from './world.js';

export type Surface = 'REST' | 'GraphQL';

export const surfaces: Surface[] = ['REST', 'GraphQL'];

/** The outcome of an operation, spelled the same for both surfaces: with REST's names. */
export interface Outcome {
  status: number;
  /** The code of a failure; undefined for a success. */
  code?: string;
  detail?: string;
  /** The members of the failure besides its code. */
  members?: Json;
  /** The payload of a success. */
  data?: Json;
}

/** Runs one operation on one surface; the input has GraphQL's names. */
export async function perform(
  world: World,
  surface: Surface,
  operation: Operation,
  token: string | null,
  input: Json,
  selection = operationsUnderTest[operation].selection,
): Promise<Outcome> {
  if (surface === 'REST') {
    const { status, body } = await world.post(restPaths[operation], token, snakeKeys(input));
    if (status === 200) return { status, data: body };
    const { type, title, status: _status, detail, code, request_id, ...members } = body;
    return { status, code, detail, members };
  }
  const { status, body } = await world.graphql(token, mutation(operation, selection), { input });
  const error = body.errors?.[0];
  if (!error) return { status, data: snakeKeys(body.data[operation]) };
  const { code, requestId, ...members } = error.extensions;
  return { status, code, detail: error.message, members: inRestNames(snakeKeys(members)) };
}

export const mutation = (operation: Operation, selection = operationsUnderTest[operation].selection) =>
  `mutation ($input: ${operation[0]?.toUpperCase()}${operation.slice(1)}Input!) {
    ${operation}(input: $input) { ${selection} }
  }`;

const snake = (name: string) => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The JSON with every key as REST spells it. */
export function snakeKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [snake(key), snakeKeys(entry)]));
}

const inRestNames = (members: Json): Json =>
  members.errors
    ? {
        ...members,
        errors: members.errors.map((entry: Json) => ({ ...entry, field: snake(entry.field.replace(/^input\.?/, '')) })),
      }
    : members;
