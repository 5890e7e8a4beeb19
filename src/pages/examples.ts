import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isNonNullType, Kind, parse, print } from 'graphql';
import { fileUrl } from '../files.js';
import { capitalized, type ExampleInput, type LookUp, type NextStep, type Repeat } from '../operations/declaration.js';
import { hubItems } from '../operations/exampleRecords.js';
import type { ExecuteDocument } from '../platform/graphql/index.js';
import { jsonResponse, type RequestContext, type Route, snakeCase } from '../platform/http/index.js';
import { type Sample, type SampleRequest, samplesOf } from './assets/samples.js';
import { type Html, highlighted, html, jsonBlock } from './html.js';
import type { ShownMutation } from './operationExamples.js';

type Actor = NonNullable<RequestContext['actor']>;

const request = { method: 'POST', url: 'http://localhost/', headers: new Headers() };

/** Runs queries as a caller, each with a scope of its own or that of a request. */
export const lookUpAs =
  (actor: () => Promise<Actor>, execute: ExecuteDocument, scopeOf: () => RequestContext['scope']): LookUp =>
  async (query) => {
    const scope = scopeOf();
    const context = { requestId: '', responseHeaders: {}, actor: await actor(), ...(scope && { scope }) };
    const { data } = await execute(parse(query), {}, request, context);
    return (data ?? {}) as object;
  };

/** Runs queries as the caller of a request. */
export function lookUpOf({ actor, scope }: RequestContext, execute: ExecuteDocument): LookUp {
  if (!actor) throw new Error('a request passed the router without an actor');
  return lookUpAs(
    async () => actor,
    execute,
    () => scope,
  );
}

interface Nodes {
  nodes: { id: string }[];
}

interface Found {
  goals: Nodes;
  spaces: Nodes;
  hubs: Nodes;
}

/** Finds nothing for who does not own the company. */
const webhooksOfOwner = '{ webhooks { id } }';

const firstOfEach =
  '{ goals(first: 1) { nodes { id } } spaces(first: 1) { nodes { id } } hubs: resourceHubs(first: 1) { nodes { id } } }';

/** The fields that no operation has, in the order of their examples; `listen` is the subscription. */
const fields = [
  'viewer',
  'goal',
  'resourceHubFile',
  'resourceHubDocument',
  'goals',
  'spaces',
  'space',
  'resourceHubNodes',
  'resourceHubs',
  'resourceHub',
  'resourceHubFolder',
  'deletedFiles',
  'people',
  'events',
  'listen',
];

/** Those that only owners of the company may ask for. */
const ownersFields = [
  ...['webhooks', 'webhook', 'createWebhook', 'updateWebhook', 'rotateWebhookSecret', 'replayWebhook', 'pingWebhook'],
  ...['redeliverWebhookEvent', 'deleteWebhook'],
];

/** A document in `queries/`, with placeholders such as `"GOAL_ID"`. */
const readQuery = (field: string) => readFileSync(fileUrl(`pages/queries/${field}.graphql`), 'utf8');
const documents = fields.map(readQuery);
const ownersDocuments = ownersFields.map(readQuery);

/**
 * One example for each of these fields that the caller of the look-up may ask for, on records that the caller can see.
 * Without a look-up, all of them, with placeholders.
 */
async function queryExamples(requests: readonly ShownRequest[], lookUp?: LookUp): Promise<WorkedDocument[]> {
  const found = lookUp ? await lookUp<Found>(firstOfEach) : {};
  const items = lookUp ? await hubItems(lookUp, '... on ResourceHubDocument { currentVersion }') : [];
  const { webhooks = undefined } = lookUp ? await lookUp<{ webhooks: { id: string }[] }>(webhooksOfOwner) : {};
  const last = (typename: string) => items.findLast(({ __typename }) => __typename === typename);
  const document = items.find(({ currentVersion }) => (currentVersion ?? 0) > 1) ?? last('ResourceHubDocument');
  const ids: Record<string, string | undefined> = {
    GOAL_ID: found.goals?.nodes[0]?.id,
    // The last one, because the example of the deletion deletes the first.
    FILE_ID: last('ResourceHubFile')?.id,
    DOCUMENT_ID: document?.id,
    SPACE_ID: found.spaces?.nodes[0]?.id,
    RESOURCE_HUB_ID: found.hubs?.nodes[0]?.id,
    FOLDER_ID: last('ResourceHubFolder')?.id,
    WEBHOOK_ID: webhooks?.[0]?.id,
  };
  const onRecords = (texts: string[]) => texts.map((text) => withVariables(text, ids));
  return [
    ...onRecords(documents),
    ...requests.map(({ previewDocument }) => previewDocument),
    ...onRecords(lookUp && !webhooks ? [] : ownersDocuments),
  ];
}

/** A document with its placeholders as variables, which have the ids that are known. */
function withVariables(text: string, ids: Record<string, string | undefined>): WorkedDocument {
  const variables: Record<string, unknown> = {};
  const query = text.replace(/"([A-Z]+(?:_[A-Z]+)*_ID)"/g, (_, placeholder: string) => {
    const name = placeholder.toLowerCase().replace(/_([a-z])/g, (_match, letter) => letter.toUpperCase());
    variables[name] = ids[placeholder] ?? placeholder;
    return `$${name}`;
  });
  const declared = Object.keys(variables).map((name) => `$${name}: ID!`);
  return { query: declared.length > 0 ? query.replace(/^(query|mutation) \w+/m, `$&(${declared})`) : query, variables };
}

/** A document of GraphiQL, and its variables. */
export interface WorkedDocument {
  query: string;
  variables: Record<string, unknown>;
}

/** Example calls: one for each REST path, and one for each query and mutation of the schema. */
export interface WorkedExamples {
  requests: ExampleRequest[];
  /** GraphQL documents, each with one named operation. */
  documents: WorkedDocument[];
}

/** The examples of a page: with the demo's token and records for who holds its key, else with placeholders. */
export interface Trial extends WorkedExamples {
  token: string | undefined;
  readOnlyToken?: string | undefined;
}

/** A request to try, on the first of its choices, or with placeholders. */
export interface ExampleRequest extends SampleRequest {
  /** The mutation field that the path stands for. */
  name: string;
  title: string;
  isAddition: boolean;
  choices: { label: string; body: Record<string, unknown> }[];
  /** A query for what the request would do. Its variables are the fields of the input. */
  preview: string | undefined;
  repeat: Repeat;
  next: NextStep;
}

/** The example requests, on records that the caller of a look-up may change. Without a look-up they have placeholders. */
async function exampleRequests(mutations: readonly ShownMutation[], lookUp?: LookUp): Promise<ExampleRequest[]> {
  return (await shownRequests(mutations, lookUp)).map(({ request }) => request);
}

/** A request of the pages, and what GraphiQL has of it. */
interface ShownRequest {
  request: ExampleRequest;
  document: WorkedDocument;
  previewDocument: WorkedDocument;
}

async function shownRequests(mutations: readonly ShownMutation[], lookUp?: LookUp): Promise<ShownRequest[]> {
  const requests: ShownRequest[] = [];
  // One after the other, so that a page takes one connection at a time.
  for (const mutation of mutations) {
    const { name, title, path, example, preview, isAddition = false } = mutation;
    const found = lookUp ? await example.choices(lookUp) : [];
    const choices = found.map(({ label, input }) => ({ label, body: bodyOf(input) }));
    const { repeat, next } = example;
    const from = Object.fromEntries(Object.entries(next.from).map((names) => names.map((each) => snakeCase(each))));
    const input = found[0]?.input ?? example.input;
    const request = {
      name,
      title,
      isAddition,
      nullable: nullableOf(mutation),
      path,
      body: bodyOf(input),
      template: templateOf(mutation),
      choices,
      preview,
      repeat: { ...repeat, record: repeat.record.map(snakeCase) },
      next: { ...next, from },
    };
    requests.push({
      request,
      document: { query: graphiqlTemplateOf(mutation), variables: { input } },
      previewDocument: mutation.previewDocument(input),
    });
  }
  return requests;
}

/** The same, and the documents of GraphiQL. */
export async function workedExamples(mutations: readonly ShownMutation[], lookUp?: LookUp): Promise<WorkedExamples> {
  const shown = await shownRequests(mutations, lookUp);
  const queries = await queryExamples(shown, lookUp);
  return {
    requests: shown.map(({ request }) => request),
    documents: [...queries, ...shown.map(({ document }) => document)],
  };
}

/** The first member of the response, if it may be null. */
function nullableOf({ payloadType, selection: { selections } }: ShownMutation): string | undefined {
  const [first] = selections;
  const field = first?.kind === Kind.FIELD ? payloadType.getFields()[first.name.value] : undefined;
  return field && !isNonNullType(field.type) ? field.name : undefined;
}

const bodyOf = (input: ExampleInput) =>
  Object.fromEntries(Object.entries(input).map(([field, value]) => [snakeCase(field), value]));

/** The call in GraphQL, with `INPUT` in place of its input. */
function templateOf({ name, example: { about, selection } }: ShownMutation): string {
  const document = print(parse(`mutation ${capitalized(name)} { ${name}(input: INPUT) { ${selection} } }`));
  return [...about.map((line) => `# ${line}`), document, ''].join('\n');
}

/** The same with a variable, and what it has recorded. */
function graphiqlTemplateOf({ name, example: { about, selection } }: ShownMutation): string {
  const document = `mutation ${capitalized(name)}($input: ${capitalized(name)}Input!) {
    ${name}(input: $input) { ${selection} activity { id action insertedAt } } }`;
  return [...about.map((line) => `# ${line}`), print(parse(document)), ''].join('\n');
}

/** The script that gives the examples their choices and buttons. */
export const examplesScript = '/pages/examples.js';

/** Marks what Goalpost adds to the documented operations. */
export const additionMark = ({ isAddition }: Pick<ExampleRequest, 'isAddition'>): Html | undefined =>
  isAddition
    ? html` <span class="badge" title="Other servers of this API do not have it">only in Goalpost</span>`
    : undefined;

/** A request in several languages. A script shows what to choose from, and the buttons Copy, Preview and Run. */
export function exampleBlock(request: ExampleRequest, base: string, heading: Html): Html {
  const { name, title, preview } = request;
  const samples = samplesOf(base, request, randomUUID());
  return html`<div class="example" data-example="${name}">
<div class="bar">
${heading}
<fieldset class="languages"><legend class="unseen">Language of: ${title}</legend>
${samples.map(languageChoice(name))}</fieldset>
<button type="button" class="copy" hidden aria-label="Copy: ${title}">Copy</button>
</div>
<div class="actions">
<label class="choice" hidden>On <select aria-label="On what: ${title}"></select></label>
${preview && html`<button type="button" class="preview" hidden aria-label="Preview: ${title}">Preview</button>`}
<button type="button" class="run" hidden aria-label="Run: ${title}">Run</button>
</div>
<p class="why" id="${name}-why" hidden>Run is disabled: this token may not do this.</p>
${samples.map(sampleBlock(name, title))}<div class="result" id="${name}-result"></div>
</div>
`;
}

const languageChoice =
  (name: string) =>
  ({ language, label }: Sample, index: number): Html =>
    html`<label><input type="radio" name="language-${name}" value="${language}"${index === 0 && html` checked`}>${label}</label>
`;

const sampleBlock =
  (name: string, title: string) =>
  ({ language, label, text }: Sample): Html =>
    html`<pre data-language="${language}" tabindex="0" role="region" aria-label="${title}: ${label}"><code id="${name}-${language}">${highlighted(text)}</code></pre>
`;

/** What the script needs to run the examples: nobody but the owner of the demo gets its tokens. */
export const examplesData = (trial: Trial, base: string): Html =>
  jsonBlock('settings', {
    base,
    token: trial.token ?? null,
    readOnlyToken: trial.readOnlyToken ?? null,
    examples: byName(trial.requests),
  });

/** The examples as the script takes them. */
const byName = (requests: ExampleRequest[]) =>
  Object.fromEntries(requests.map(({ name, ...request }) => [name, request]));

/** `/docs/examples`: the examples on what the caller may change, for the pages whose visitor brings a token. */
export const examplesRoute = (mutations: readonly ShownMutation[], execute: ExecuteDocument): Route => ({
  path: '/docs/examples',
  operation: 'examples',
  // They are requests of the REST paths.
  surface: 'rest',
  methods: ['GET'],
  async handle(_request, context) {
    if (!context.grants) throw new Error('a request passed the router without its grants');
    const { canWrite: mayChange, scopes, surfaces } = context.grants;
    const requests = await exampleRequests(mutations, lookUpOf(context, execute));
    return jsonResponse({ mayChange, scopes, surfaces, examples: byName(requests) });
  },
});
