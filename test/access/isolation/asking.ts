import { type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { Json } from '../../support/world.js';
import type { Caller } from './callers.js';
import { everything } from './crawl.js';
import type { Matrix } from './matrix.js';
import { lookUps, type Need } from './policy.js';
import type { Target } from './records.js';

/** A look-up of a record by one query field. */
export interface Question {
  field: string;
  need: Need;
  target: Target;
}

export const questionsAbout = (targets: Target[]): Question[] =>
  Object.entries(lookUps).flatMap(([field, need]) =>
    targets.filter(({ kind }) => kind === need.kind).map((target) => ({ field, need, target })),
  );

const literal = (value: unknown): string =>
  value && typeof value === 'object'
    ? `{${Object.entries(value).map(([name, part]) => `${name}: ${literal(part)}`)}}`
    : JSON.stringify(value);

const call = ({ field, need, target }: Question) =>
  `${field}(${Object.entries(need.ask(target.id)).map(([name, value]) => `${name}: ${literal(value)}`)})`;

/** The outcome of each of many look-ups in one request: OK or a code, and the failure without its place. */
export async function lookUp(matrix: Matrix, caller: Caller, asked: Question[]): Promise<Json[]> {
  const parts = asked.map((question, index) => `a${index}: ${call(question)} { __typename }`);
  const sent = asked.map(({ target }) => target.id);
  const { body } = await matrix.graphql(caller, `{ ${parts.join(' ')} }`, {}, sent);
  return asked.map((_, index) => {
    const failures: Json[] = body.errors ?? [];
    const { path, locations, ...failure } =
      failures.find((one) => (one.path ? one.path[0] === `a${index}` : true)) ?? {};
    return { code: failure.extensions?.code ?? (body.data?.[`a${index}`] ? 'OK' : 'nothing'), failure };
  });
}

/** The lists, each with everything about its items; then the look-ups, each with everything about its record. */
export function crawlQueries(schema: GraphQLSchema, asked: Question[]): string[] {
  const selectionOf = (field: string, depth: number) => {
    const type = getNamedType(schema.getQueryType()?.getFields()[field]?.type);
    return isObjectType(type) ? everything(schema, type, depth) : '';
  };
  const lists = ['goals', 'spaces', 'resourceHubs', 'events', 'activities'].map(
    (list) => `${list}(first: 100) { ${selectionOf(list, 2)} }`,
  );
  const found = `resourceHubNodes(text: "file", first: 100) { ${selectionOf('resourceHubNodes', 1)} }`;
  const looks = asked.map((question, index) => `a${index}: ${call(question)} { ${selectionOf(question.field, 2)} }`);
  return [
    ...lists,
    found,
    `viewer { ${selectionOf('viewer', 3)} }`,
    ...chunks(looks, 10).map((part) => part.join(' ')),
  ];
}

export const chunks = <Item>(items: Item[], size: number): Item[][] =>
  items.length === 0 ? [] : [items.slice(0, size), ...chunks(items.slice(size), size)];

/** Runs the work on all items, a few at a time. */
export async function inParallel<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
