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

/** A request for all of these; its text is the same for other records, so that it is parsed and planned once. */
function requestFor(schema: GraphQLSchema, asked: Question[], selectionOf: (field: string) => string) {
  const [declared, parts, variables]: [string[], string[], Json] = [[], [], {}];
  for (const [index, { field, need, target }] of asked.entries()) {
    const types = schema.getQueryType()?.getFields()[field]?.args ?? [];
    const given = Object.entries(need.ask(target.id));
    for (const [name, value] of given) {
      declared.push(`$${name}${index}: ${types.find((argument) => argument.name === name)?.type}`);
      variables[`${name}${index}`] = value;
    }
    parts.push(`a${index}: ${field}(${given.map(([name]) => `${name}: $${name}${index}`)}) { ${selectionOf(field)} }`);
  }
  return { query: `query (${declared}) { ${parts.join(' ')} }`, variables };
}

/** Groups of at most so many, each of one field. */
export const groupsOf = <Asked extends Question>(asked: Asked[], size: number): Asked[][] =>
  Object.keys(lookUps).flatMap((name) =>
    chunks(
      asked.filter(({ field }) => field === name),
      size,
    ),
  );

/** The outcome of each of many look-ups in one request: OK or a code, and the failure without its place. */
export async function lookUp(
  schema: GraphQLSchema,
  matrix: Matrix,
  caller: Caller,
  asked: Question[],
): Promise<Json[]> {
  const { query, variables } = requestFor(schema, asked, () => '__typename');
  const { body } = await matrix.graphql(caller, query, variables);
  return asked.map((_, index) => {
    const failures: Json[] = body.errors ?? [];
    const { path, locations, ...failure } =
      failures.find((one) => (one.path ? one.path[0] === `a${index}` : true)) ?? {};
    return { code: failure.extensions?.code ?? (body.data?.[`a${index}`] ? 'OK' : 'nothing'), failure };
  });
}

/** The lists, each with everything about its items down to a depth; then the look-ups, each with everything about its record. */
export function crawlRequests(
  schema: GraphQLSchema,
  asked: Question[],
  depth: number,
): { query: string; variables?: Json }[] {
  const selectionOf = (field: string, depth: number) => {
    const type = getNamedType(schema.getQueryType()?.getFields()[field]?.type);
    return isObjectType(type) ? everything(schema, type, depth) : '';
  };
  const lists = ['goals', 'spaces', 'resourceHubs', 'events', 'activities'].map(
    (list) => `${list}(first: 100) { ${selectionOf(list, depth)} }`,
  );
  const found = `resourceHubNodes(text: "file", first: 100) { ${selectionOf('resourceHubNodes', 1)} }`;
  const first = [...lists, found, `viewer { ${selectionOf('viewer', 3)} }`].map((part) => ({ query: `{ ${part} }` }));
  const looks = groupsOf(asked, 5).map((part) => requestFor(schema, part, (field) => selectionOf(field, 2)));
  return [...first, ...looks];
}

export const chunks = <Item>(items: Item[], size: number): Item[][] =>
  items.length === 0 ? [] : [items.slice(0, size), ...chunks(items.slice(size), size)];

/** Runs the work on all items, a few at a time, as long as there is time. */
export async function inParallel<Item, Result>(
  items: Item[],
  work: (item: Item) => Promise<Result>,
  hasTime = () => true,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = [...items.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next && hasTime(); next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
