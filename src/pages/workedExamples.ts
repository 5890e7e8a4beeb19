import { parse, print } from 'graphql';
import { snakeCased } from '../naming.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { lookUps, queryExamples } from './queryExamples.js';

/** Example calls: one for each REST path, and one for each query and mutation of the schema. */
export interface WorkedExamples {
  requests: ExampleRequest[];
  /** GraphQL documents, each with one named operation and no variables. */
  documents: string[];
}

export interface ExampleRequest {
  title: string;
  path: string;
  body: unknown;
}

/** Runs a query as the caller of the examples and returns its data. */
export type LookUp = (query: string) => Promise<object>;

/** The examples, on records that exist now. Without a look-up they have placeholders. */
export async function workedExamples(
  mutations: readonly PreparedMutation[],
  lookUp: LookUp = async () => ({}),
): Promise<WorkedExamples> {
  const [found, ...foundFor] = await Promise.all([
    Promise.all(lookUps.map(lookUp)),
    ...mutations.map(({ example }) => lookUp(example.lookUp)),
  ]);
  const inputs = mutations.map(({ example }, index) => example.input(foundFor[index] ?? {}));
  return {
    requests: mutations.map(({ title, path }, index) => ({ title, path, body: snakeCased(inputs[index]) })),
    documents: [
      ...mutations.map((mutation, index) => mutationDocument(mutation, inputs[index])),
      ...queryExamples(Object.assign({}, ...found)),
    ],
  };
}

function mutationDocument({ name, example: { about, selection } }: PreparedMutation, input: unknown): string {
  const operation = name.charAt(0).toUpperCase() + name.slice(1);
  const document = `mutation ${operation} { ${name}(input: ${literal(input)}) { ${selection} } }`;
  return [...about.map((line) => `# ${line}`), print(parse(document)), ''].join('\n');
}

/** A JSON value as a GraphQL literal. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  // A JSON string is a GraphQL string too.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, entry]) => `${name}: ${literal(entry)}`);
  return `{ ${fields.join(', ')} }`;
}
