import { parse, print } from 'graphql';
import { snakeCase } from '../naming.js';
import type { PreparedMutation } from '../rest/prepare.js';
import { lookUps, queryExamples } from './queryExamples.js';

/** Example calls: one for each REST path, and one for each query and mutation of the schema. */
export interface WorkedExamples {
  requests: ExampleRequest[];
  /** GraphQL documents, each with one named operation and no variables. */
  documents: string[];
}

export interface ExampleRequest {
  /** The mutation field that the path stands for. */
  name: string;
  title: string;
  path: string;
  body: Record<string, unknown>;
  /** The same call in GraphQL. */
  document: string;
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
  const requests = mutations.map((mutation, index) => {
    const { name, title, path, example } = mutation;
    const input = example.input(foundFor[index] ?? {});
    const body = Object.fromEntries(Object.entries(input).map(([field, value]) => [snakeCase(field), value]));
    return { name, title, path, body, document: mutationDocument(mutation, input) };
  });
  return {
    requests,
    documents: [...requests.map(({ document }) => document), ...queryExamples(Object.assign({}, ...found))],
  };
}

function mutationDocument({ name, example: { about, selection } }: PreparedMutation, input: object): string {
  const operation = name.charAt(0).toUpperCase() + name.slice(1);
  // JSON strings, numbers and lists are GraphQL values too.
  const fields = Object.entries(input).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  // The printer would write a long input on one line.
  const argument =
    fields.length > 1 ? `\n    input: {\n      ${fields.join('\n      ')}\n    }\n  ` : `input: { ${fields} }`;
  const document = print(parse(`mutation ${operation} { ${name}(input: INPUT) { ${selection} } }`));
  return [...about.map((line) => `# ${line}`), document.replace('input: INPUT', () => argument), ''].join('\n');
}
