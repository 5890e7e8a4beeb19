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
      ...mutations.map((mutation, index) => mutationDocument(mutation, inputs[index] ?? {})),
      ...queryExamples(Object.assign({}, ...found)),
    ],
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
