import { type ExecutionResult, type GraphQLError, GraphQLInputObjectType, type GraphQLSchema } from 'graphql';
import { catalogue } from '../errors/catalogue.js';
import { lazy } from '../platform/caching/index.js';
import { badInput, type FieldError, failure, isErrorCode } from '../platform/failures/index.js';
import { type ExecuteDocument, readInput, restSpelling, scopeOf } from '../platform/graphql/index.js';
import { type Mask, type RequestContext, type RequestHead, snakeCase } from '../platform/http/index.js';
import type { Database } from '../platform/postgres/index.js';
import { collectComponents, type JsonSchema, requestSchema, withoutErrors } from '../rest/openapi/schemas.js';
import { restProblem } from '../rest/routes.js';
import { readDocuments, type StoredDocument } from './documents.js';
import { issueReceipt, receiptSeconds, redeemReceipt } from './receipts.js';

/** The tools that read: the document of each, or those from which a caller chooses by the name of the argument. */
const readers: { name: string; about?: string; reads: string | Record<string, string> }[] = [
  { name: 'find_goals', reads: 'findGoals' },
  {
    name: 'find_files_and_documents',
    about: 'Finds files and documents by name, or the deleted files of a hub. Takes exactly one of its arguments.',
    reads: { by_name: 'findByName', deleted_in_hub: 'findDeletedFiles' },
  },
  { name: 'read_document', reads: 'readDocument' },
  {
    name: 'recent_changes',
    about:
      'Lists who changed what and when: of one record, newest first, or of all. Takes exactly one of its arguments.',
    reads: { goal: 'changesOfGoal', document: 'changesOfDocument', file: 'changesOfFile', all: 'changesSince' },
  },
];

/** The operations, each with a tool of its name: the mutation of its name makes the change, `preview…` shows it. */
const operations: { field: string; isDestructive: boolean }[] = [
  { field: 'reopenGoal', isDestructive: true },
  { field: 'deleteResourceHubFile', isDestructive: true },
  { field: 'recoverResourceHubFile', isDestructive: false },
  { field: 'restoreDocumentVersion', isDestructive: true },
];

const minutes = receiptSeconds / 60;

const aboutPreviews =
  'Shows what an operation would change, and changes nothing. Takes exactly one operation with its input. Returns a ' +
  `receipt, which is good for ${minutes} minutes: the tool of that operation takes it and makes exactly this change, once.`;

const aboutReceipts =
  'Takes the receipt of preview_change and does what that showed, once. If the record has changed since, nothing is ' +
  'written: preview again.';

const receiptSchema: JsonSchema = {
  type: 'object',
  properties: { receipt: { type: 'string', description: 'The receipt of preview_change.' } },
  required: ['receipt'],
};

/** A tool as `tools/list` shows it. */
export interface Tool {
  name: string;
  description: string;
  inputSchema: { type: 'object' } & JsonSchema;
  annotations: Record<string, boolean>;
}

const reading = { readOnlyHint: true, openWorldHint: false };

/** What a call of a tool returns. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
};

const resultOf = (structuredContent: Record<string, unknown>, text: string): ToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent,
});

type Arguments = Record<string, unknown>;

/** A call of a tool by a caller. */
interface Call {
  given: Arguments;
  request: RequestHead;
  context: RequestContext;
}

/** One operation: what shows it, and what makes it. */
interface Operation {
  name: string;
  scope: string;
  isDestructive: boolean;
  preview: StoredDocument;
  mutation: StoredDocument;
  /** The fields of the mutation's input that are not the preview's: what the preview says of them is sent. */
  fromPreview: string[];
}

interface ToolsOptions {
  schema: GraphQLSchema;
  db: Database;
  execute: ExecuteDocument;
  mask: Mask;
  publicUrl: string | undefined;
}

/** The tools of the gateway. Prepares their documents, once. */
export function createTools({ schema, db, execute, mask, publicUrl }: ToolsOptions) {
  const stored = readDocuments(schema);
  const described = new Map<string, Tool>();
  const components = lazy(() => collectComponents(schema, { inline: true }));

  const prepared: Operation[] = operations.map(({ field, isDestructive }) => {
    const mutation = stored(field);
    const preview = stored(`preview${field.charAt(0).toUpperCase()}${field.slice(1)}`);
    const known = preview.input.getFields();
    return {
      name: snakeCase(field),
      scope: scopeOf(mutation.field),
      isDestructive,
      preview,
      mutation,
      fromPreview: Object.keys(mutation.input.getFields()).filter((name) => !(name in known)),
    };
  });
  const operationNamed = (name: string) => prepared.find((operation) => operation.name === name);

  const choices = new Map(
    readers.flatMap(({ name, reads }) => {
      if (typeof reads === 'string') return [];
      const documents = new Map(Object.entries(reads).map(([choice, each]) => [choice, stored(each)]));
      return [[name, choiceOfDocuments(name, documents)] as const];
    }),
  );
  const previews = choiceOfDocuments('preview_change', new Map(prepared.map(({ name, preview }) => [name, preview])));

  /** The operations that a token may run. */
  const allowed = ({ grants }: RequestContext): Operation[] =>
    grants?.canWrite ? prepared.filter(({ scope }) => grants.scopes?.includes(scope) ?? true) : [];

  /** Those of which it sees the previews: one that may not write, all of them. */
  const shown = (context: RequestContext) => (context.grants?.canWrite ? allowed(context) : prepared);

  /** Which errors there are is no help to a model, which gets the one that happens. */
  const textOf = (description: string) => withoutErrors(components().text(description));

  function schemaOf(type: GraphQLInputObjectType): JsonSchema {
    const { description: _, additionalProperties: __, ...rest } = brief(requestSchema(type, components()));
    return rest;
  }

  /** An input of which exactly one argument is given. */
  const oneOf = (documents: ReadonlyMap<string, StoredDocument>, isDescribed: boolean): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(
      [...documents].map(([name, { input, description }]) => [
        name,
        { ...schemaOf(input), ...(isDescribed && { description: textOf(description) }) },
      ]),
    ),
    minProperties: 1,
    maxProperties: 1,
  });

  /** Describes a tool once for each set of operations. */
  function describe(name: string, key: string, make: () => Omit<Tool, 'name' | 'inputSchema'> & { input: JsonSchema }) {
    const known = described.get(`${name} ${key}`);
    if (known) return known;
    const { input, ...rest } = make();
    const tool: Tool = { name, inputSchema: { type: 'object', ...input }, ...rest };
    described.set(`${name} ${key}`, tool);
    return tool;
  }

  /** What the token of a request may use. */
  function list(context: RequestContext): Tool[] {
    const readable = readers.map(({ name, about, reads }) =>
      describe(name, '', () => {
        const choice = choices.get(name);
        if (choice) return { description: about ?? '', input: oneOf(choice.documents, true), annotations: reading };
        const { description, input } = stored(String(reads));
        return { description: textOf(description), input: schemaOf(input), annotations: reading };
      }),
    );
    const visible = shown(context);
    const preview = describe('preview_change', visible.map(({ name }) => name).join(), () => ({
      description: aboutPreviews,
      input: oneOf(new Map(visible.map((each) => [each.name, each.preview])), false),
      annotations: reading,
    }));
    const changing = allowed(context).map(({ name, mutation, isDestructive }) =>
      describe(name, '', () => ({
        description: `${textOf(mutation.description)} ${aboutReceipts}`,
        input: receiptSchema,
        annotations: {
          readOnlyHint: false,
          destructiveHint: isDestructive,
          idempotentHint: true,
          openWorldHint: false,
        },
      })),
    );
    return [...readable, ...(visible.length > 0 ? [preview] : []), ...changing];
  }

  /** The scopes that a call needs of its token: those of the operation that it runs or previews. */
  function scopesOf(name: string, given: unknown): { scopes: string[]; isChange: boolean } {
    const operation = operationNamed(name);
    if (operation) return { scopes: [operation.scope], isChange: true };
    const named = name === 'preview_change' && typeof given === 'object' && given !== null ? Object.keys(given) : [];
    return { scopes: named.flatMap((each) => operationNamed(each)?.scope ?? []), isChange: false };
  }

  /** Reads what a tool was given as its input. Throws 400, which names every bad field as the caller spelled it. */
  function read(input: GraphQLInputObjectType, given: unknown): Arguments {
    const { value, errors } = readInput(input, given, restSpelling);
    if (errors.length > 0) throw badInput(errors);
    return value as Arguments;
  }

  async function query({ document, variablesOf, key }: StoredDocument, input: Arguments, { request, context }: Call) {
    const result = await execute(document, variablesOf(input), request, context, { isStored: false });
    return dataOf(result)[key];
  }

  async function runReader(name: string, call: Call): Promise<ToolResult> {
    const choice = choices.get(name);
    const [at, document, input] = choice
      ? choice.read(call.given, read)
      : (['', stored(String(readers.find((reader) => reader.name === name)?.reads)), call.given] as const);
    const variables = choice ? input : read(document.input, input);
    try {
      const found = document.spell(await query(document, variables, call));
      return resultOf(found as Record<string, unknown>, pageText(found));
    } catch (error) {
      throw inArguments(error, at);
    }
  }

  async function preview(call: Call): Promise<ToolResult> {
    const [name, document, input] = previews.read(call.given, read);
    const operation = operationNamed(name);
    if (!operation) throw new Error(`no operation ${name}`);
    const shown = (await query(document, input, call)) as Arguments & { state: string | null; wouldChange: boolean };
    const given = Object.fromEntries(operation.fromPreview.map((field) => [field, shown[field]]));
    const { actor, scope, grants } = call.context;
    const seen = { operation: name, preview: document.spell(shown) };
    if (!actor || shown.state === null || !grants?.canWrite) return resultOf(seen, 'A preview: nothing is changed.');
    const change = { operation: operation.mutation.field.name, input: { ...input, ...given }, state: shown.state };
    const { receipt, expiresAt } = await issueReceipt(db.within(scope), actor, change);
    const text = shown.wouldChange
      ? `Nothing is changed yet. To make this change, call ${name} with the receipt within ${minutes} minutes.`
      : 'This would change nothing.';
    return resultOf({ ...seen, receipt, expires_at: expiresAt.toISOString() }, text);
  }

  async function change({ name, mutation }: Operation, { given, request, context }: Call): Promise<ToolResult> {
    const { actor, scope, responseHeaders } = context;
    const receipt = receiptOf(given);
    if (!actor) throw new Error('a request passed the router without an actor');
    const asked = {
      receipt,
      operation: mutation.field.name,
      nameOf: (field: string) => snakeCase(field),
    };
    const redeemed = await redeemReceipt(db.within(scope), actor, asked);
    let result: ExecutionResult;
    if ('outcome' in redeemed) {
      result = redeemed.outcome;
      responseHeaders['Idempotency-Replayed'] = 'true';
    } else {
      const { input, state, once } = redeemed;
      const variables = { ...mutation.variablesOf(input), expectedState: state };
      result = await execute(mutation.document, variables, request, context, { once });
    }
    const outcome = mutation.spell(dataOf(result)[mutation.key]) as Record<string, unknown>;
    const isReplayed = responseHeaders['Idempotency-Replayed'] === 'true';
    const text = outcome.activity === null ? `${name} had nothing to change.` : `${name} is done.`;
    return resultOf({ ...outcome, replayed: isReplayed }, isReplayed ? `${text} It was done before, not now.` : text);
  }

  /** Runs a tool. What fails is a result too, in the words of the catalogue, so that a model can mend its call. */
  async function call(name: string, given: Arguments, request: RequestHead, context: RequestContext) {
    try {
      const operation = operationNamed(name);
      if (operation) return await change(operation, { given, request, context });
      const run = name === 'preview_change' ? preview : (each: Call) => runReader(name, each);
      return await run({ given, request, context });
    } catch (thrown) {
      return failed(mask(thrown, context), context);
    }
  }

  function failed(error: GraphQLError, context: RequestContext): ToolResult {
    context.record?.addErrors([error]);
    const { problem } = restProblem(error, context.requestId, publicUrl);
    const { code } = error.extensions;
    const { remedy } = catalogue[isErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR'];
    const { detail } = problem as { detail: string };
    return { ...resultOf({ ...(problem as object), remedy }, `${code}: ${detail} ${remedy}`), isError: true };
  }

  const names = new Set([...readers.map(({ name }) => name), 'preview_change', ...prepared.map(({ name }) => name)]);
  return { list, call, scopesOf, has: (name: string) => names.has(name) };
}

export type AgentTools = ReturnType<typeof createTools>;

/** A schema with what a model needs to make a call: every call passes the same checks, whatever its schema says. */
function brief({ format: _, description, ...schema }: JsonSchema): JsonSchema {
  const { type, properties } = schema as { type?: string | string[]; properties?: Record<string, JsonSchema> };
  const fields = Object.entries(properties ?? {}).map(([name, each]) => [name, brief(each)]);
  return {
    ...schema,
    ...(Array.isArray(type) && { type: type[0] }),
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(description !== '' && { description }),
  };
}

/** A choice of documents by the name of the one argument. */
function choiceOfDocuments(name: string, documents: ReadonlyMap<string, StoredDocument>) {
  const fields = Object.fromEntries([...documents].map(([each, { input }]) => [each, { type: input }]));
  // REST spells the names of fields: these are spelled so already.
  const type = new GraphQLInputObjectType({ name, fields });
  return {
    documents,
    /** The choice, its document, and what is given for it. */
    read(
      given: Arguments,
      read: (input: GraphQLInputObjectType, given: unknown) => Arguments,
    ): [string, StoredDocument, Arguments] {
      const chosen = Object.entries(read(type, given)).filter(([, value]) => value !== null);
      const [[choice, value] = ['', undefined]] = chosen;
      const document = documents.get(choice);
      if (chosen.length !== 1 || !document) {
        const message = `must be exactly one of ${[...documents.keys()].join(', ')}`;
        throw badInput([{ field: '', code: 'required', message }]);
      }
      return [choice, document, value as Arguments];
    },
  };
}

/** What a document returned. Throws its first failure. */
function dataOf({ data, errors }: ExecutionResult): Record<string, unknown> {
  if (errors?.[0]) throw errors[0];
  if (!data) throw failure('INTERNAL_SERVER_ERROR');
  return data;
}

function receiptOf({ receipt, ...others }: Arguments): string {
  const errors: FieldError[] = Object.keys(others).map((field) => ({
    field,
    code: 'unknown',
    message: 'is not a field: the receipt has the input (the only field is receipt)',
  }));
  if (typeof receipt === 'string' && errors.length === 0) return receipt;
  if (receipt === undefined) errors.push({ field: 'receipt', code: 'required', message: 'is required' });
  else if (typeof receipt !== 'string') errors.push({ field: 'receipt', code: 'type', message: 'must be a string' });
  throw badInput(errors);
}

/** A failure that names fields of a document, with the arguments in their place: a variable has the name of its field. */
function inArguments(error: unknown, choice: string): unknown {
  const { code, errors } = (error as Partial<GraphQLError>).extensions ?? {};
  if (code !== 'BAD_USER_INPUT' || !Array.isArray(errors)) return error;
  const nameOf = (field: string) => [choice, field.split('.').at(-1)].filter(Boolean).join('.');
  return badInput((errors as FieldError[]).map((each) => ({ ...each, field: nameOf(each.field) })));
}

interface PageFound {
  nodes: unknown[];
  page_info: { has_next_page: boolean };
  total_count?: number;
}

/** How much of a list a result has, without any text of its records. */
function pageText(found: unknown): string {
  const page = pageIn(found, 2);
  if (!page) return 'Found.';
  const { nodes, total_count: total, page_info } = page;
  const count = total === undefined ? `${nodes.length}` : `${nodes.length} of ${total}`;
  return page_info.has_next_page ? `${count}. For more, call again with end_cursor as after.` : `${count}.`;
}

function pageIn(value: unknown, depth: number): PageFound | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('page_info' in value) return value as PageFound;
  return depth === 0
    ? undefined
    : Object.values(value).reduce((found, each) => found ?? pageIn(each, depth - 1), undefined);
}
