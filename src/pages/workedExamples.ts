import { parse, print } from 'graphql';
import { snakeCase } from '../naming.js';
import type { PreparedMutation } from '../rest/prepare.js';
import type { ExampleInput, LookUp, NextStep } from '../rest/storedMutation.js';
import { documentOf, type SampleRequest } from './assets/samples.js';
import { queryExamples } from './queryExamples.js';

/** Example calls: one for each REST path, and one for each query and mutation of the schema. */
export interface WorkedExamples {
  requests: ExampleRequest[];
  /** GraphQL documents, each with one named operation and no variables. */
  documents: string[];
}

/** A request to try, on the first of its choices, or with placeholders. */
export interface ExampleRequest extends SampleRequest {
  /** The mutation field that the path stands for. */
  name: string;
  title: string;
  choices: { label: string; body: Record<string, unknown> }[];
  /** A query for what the request would do. Its variables are the fields of the input. */
  preview: string | undefined;
  next: NextStep;
}

/** The example requests, on records that the caller of a look-up may change. Without a look-up they have placeholders. */
export async function exampleRequests(
  mutations: readonly PreparedMutation[],
  lookUp?: LookUp,
): Promise<ExampleRequest[]> {
  const requests: ExampleRequest[] = [];
  // One after the other, so that a page takes one connection at a time.
  for (const mutation of mutations) {
    const { name, title, path, example } = mutation;
    const found = lookUp ? await example.choices(lookUp) : [];
    const choices = found.map(({ label, input }) => ({ label, body: bodyOf(input) }));
    const { preview, next } = example;
    const from = Object.fromEntries(Object.entries(next.from).map((names) => names.map((each) => snakeCase(each))));
    requests.push({
      name,
      title,
      path,
      body: choices[0]?.body ?? bodyOf(example.input),
      template: templateOf(mutation),
      choices,
      preview,
      next: { ...next, from },
    });
  }
  return requests;
}

/** The same, and the documents of GraphiQL. */
export async function workedExamples(mutations: readonly PreparedMutation[], lookUp?: LookUp): Promise<WorkedExamples> {
  const requests = await exampleRequests(mutations, lookUp);
  return { requests, documents: [...(await queryExamples(lookUp)), ...requests.map(documentOf)] };
}

const bodyOf = (input: ExampleInput) =>
  Object.fromEntries(Object.entries(input).map(([field, value]) => [snakeCase(field), value]));

/** The call in GraphQL, with `INPUT` in place of its input. */
function templateOf({ name, example: { about, selection } }: PreparedMutation): string {
  const operation = name.charAt(0).toUpperCase() + name.slice(1);
  const document = print(parse(`mutation ${operation} { ${name}(input: INPUT) { ${selection} } }`));
  return [...about.map((line) => `# ${line}`), document, ''].join('\n');
}
