import { type ExecutionResult, type GraphQLError, GraphQLInputObjectType, type GraphQLSchema } from 'graphql';
import { catalogue } from '../errors/catalogue.js';
import { previewOf } from '../operations/declaration.js';
import { operations } from '../operations/index.js';
import { lazy } from '../platform/caching/index.js';
import { badInput, type FieldError, failure, isErrorCode } from '../platform/failures/index.js';
import { type ExecuteDocument, readInput, restSpelling, scopeOf } from '../platform/graphql/index.js';
import { type Mask, type RequestContext, type RequestHead, requireScopes, snakeCase } from '../platform/http/index.js';
import type { Database } from '../platform/postgres/index.js';
import { collectComponents, type JsonSchema, requestSchema, withoutErrors } from '../rest/openapi/schemas.js';
import { restProblem } from '../rest/routes.js';
import { confirmationSeconds, issueConfirmation, redeemConfirmation } from './confirmations.js';
import { readDocuments, type StoredDocument } from './documents.js';

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

const minutes = confirmationSeconds / 60;

const aboutPreviews =
  'Shows what an operation would change, and changes nothing. Takes exactly one operation with its input. Returns the ' +
  `arguments of its tool and a confirmation, good for ${minutes} minutes: with both, the tool makes exactly this change, ` +
  'once, or nothing if the record has changed since.';

const aboutConfirmations = 'Takes the arguments and the confirmation that preview_change returned.';

/** What to do here about a failure whose remedy elsewhere is to send something that only a preview returns here. */
const previewAgain = 'Call preview_change again, look at what would change now, and send what it returns.';
const remedies: Partial<Record<string, string>> = { STATE_CHANGED: previewAgain, VERSION_CONFLICT: previewAgain };

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

  const prepared: Operation[] = operations.map(({ field, tool: { isDestructive } }) => {
    const mutation = stored(field);
    const preview = stored(previewOf(field));
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

  /** Which errors there are is no help to a model, which gets the one that happens. */
  const textOf = (description: string) => withoutErrors(components().text(description));

  function schemaOf(type: GraphQLInputObjectType): JsonSchema {
    const { description: _, additionalProperties: __, ...rest } = brief(requestSchema(type, components()));
    return rest;
  }

  /** Its fields are described where they are previewed. */
  function changeSchema(type: GraphQLInputObjectType): JsonSchema {
    const { properties, required, ...rest } = schemaOf(type) as {
      properties: Record<string, JsonSchema>;
      required?: string[];
    };
    const fields = Object.entries(properties).map(([name, { description: _, ...each }]) => [name, each]);
    return {
      ...rest,
      properties: { ...Object.fromEntries(fields), confirmation: { type: 'string' } },
      required: [...(required ?? []), 'confirmation'],
    };
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

  /** Describes a tool, once. */
  function describe(name: string, make: () => Omit<Tool, 'name' | 'inputSchema'> & { input: JsonSchema }) {
    const known = described.get(name);
    if (known) return known;
    const { input, ...rest } = make();
    const tool: Tool = { name, inputSchema: { type: 'object', ...input }, ...rest };
    described.set(name, tool);
    return tool;
  }

  /** What the token of a request may use. */
  function list(context: RequestContext): Tool[] {
    const readable = readers.map(({ name, about, reads }) =>
      describe(name, () => {
        const choice = choices.get(name);
        if (choice) return { description: about ?? '', input: oneOf(choice.documents, true), annotations: reading };
        const { description, input } = stored(String(reads));
        return { description: textOf(description), input: schemaOf(input), annotations: reading };
      }),
    );
    const preview = describe('preview_change', () => ({
      description: aboutPreviews,
      input: oneOf(previews.documents, false),
      annotations: reading,
    }));
    const changing = allowed(context).map(({ name, mutation, isDestructive }) =>
      describe(name, () => ({
        description: `${textOf(mutation.description)} ${aboutConfirmations}`,
        input: changeSchema(mutation.input),
        annotations: {
          readOnlyHint: false,
          destructiveHint: isDestructive,
          idempotentHint: true,
          openWorldHint: false,
        },
      })),
    );
    return [...readable, preview, ...changing];
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

  /** Why a preview has no confirmation; undefined if it has one. */
  function hindrance({ scope }: Operation, state: string | null, { grants }: RequestContext): string | undefined {
    if (!grants?.canWrite) return 'the token is read-only';
    if (grants.scopes && !grants.scopes.includes(scope)) return `the token lacks the scope ${scope}`;
    return state === null ? 'the input names no record that could be changed' : undefined;
  }

  async function preview(call: Call): Promise<ToolResult> {
    const [name, document, input, asked] = previews.read(call.given, read);
    const operation = operationNamed(name);
    if (!operation) throw new Error(`no operation ${name}`);
    const shown = (await query(document, input, call)) as Arguments & { state: string | null; wouldChange: boolean };
    const { actor, scope } = call.context;
    const seen = { operation: name, preview: document.spell(shown) };
    const missing = hindrance(operation, shown.state, call.context);
    if (!actor || shown.state === null || missing)
      return resultOf(seen, `A preview: nothing is changed. There is no confirmation: ${missing}.`);
    const fromPreview = operation.fromPreview.map((field) => [snakeCase(field), shown[field]]);
    const given = withoutNulls({ ...asked, ...Object.fromEntries(fromPreview) });
    const { confirmation, expiresAt } = await issueConfirmation(db.within(scope), {
      ...ownerOf(actor),
      operation: operation.mutation.field.name,
      input: { ...defaultsOf(operation.mutation.input), ...read(operation.mutation.input, given) },
      state: shown.state,
    });
    const text = shown.wouldChange
      ? `Nothing is changed yet. To make this change, call ${name} with these arguments and the confirmation within ${minutes} minutes.`
      : 'This would change nothing.';
    return resultOf({ ...seen, arguments: given, confirmation, expires_at: expiresAt.toISOString() }, text);
  }

  async function change({ mutation, name, scope: needed }: Operation, { given, request, context }: Call) {
    const { actor, scope, grants, responseHeaders } = context;
    requireScopes(grants, [needed]);
    if (!actor) throw new Error('a request passed the router without an actor');
    const { input, confirmation } = readChange(mutation.input, given);
    const confirmed = { ...ownerOf(actor), operation: mutation.field.name, input };
    const { state, once } = await redeemConfirmation(db.within(scope), confirmation, confirmed);
    const variables = mutation.variablesOf({ ...input, expectedState: state });
    const result = await execute(mutation.document, variables, request, context, { once });
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
    const remedy = remedies[String(code)] ?? catalogue[isErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR'].remedy;
    const { detail } = problem as { detail: string };
    return { ...resultOf({ ...(problem as object), remedy }, `${code}: ${detail} ${remedy}`), isError: true };
  }

  const names = new Set([...readers.map(({ name }) => name), 'preview_change', ...prepared.map(({ name }) => name)]);
  return { list, call, has: (name: string) => names.has(name) };
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
    /** The choice, its document, what is given for it, and that as it was given. */
    read(
      given: Arguments,
      read: (input: GraphQLInputObjectType, given: unknown) => Arguments,
    ): [string, StoredDocument, Arguments, Arguments] {
      const chosen = Object.entries(read(type, given)).filter(([, value]) => value !== null);
      const [[choice, value] = ['', undefined]] = chosen;
      const document = documents.get(choice);
      if (chosen.length !== 1 || !document) {
        const message = `must be exactly one of ${[...documents.keys()].join(', ')}`;
        throw badInput([{ field: '', code: 'required', message }]);
      }
      return [choice, document, value as Arguments, given[choice] as Arguments];
    },
  };
}

/** What a document returned. Throws its first failure. */
function dataOf({ data, errors }: ExecutionResult): Record<string, unknown> {
  if (errors?.[0]) throw errors[0];
  if (!data) throw failure('INTERNAL_SERVER_ERROR');
  return data;
}

/** What a tool that changes something was given: the input and the confirmation. Throws 400, which names every bad field. */
function readChange(type: GraphQLInputObjectType, { confirmation, ...given }: Arguments) {
  const { value, errors } = readInput(type, withoutNulls(given), restSpelling);
  if (typeof confirmation === 'string' && errors.length === 0)
    return { input: { ...defaultsOf(type), ...(value as Arguments) }, confirmation };
  if (confirmation === undefined || confirmation === null)
    errors.push({ field: 'confirmation', code: 'required', message: 'is required: preview_change returns it' });
  else if (typeof confirmation !== 'string')
    errors.push({ field: 'confirmation', code: 'type', message: 'must be a string' });
  throw badInput(errors);
}

/** What the fields of an input are that are not given, if not null. */
const defaultsOf = (type: GraphQLInputObjectType): Arguments =>
  Object.fromEntries(
    Object.values(type.getFields()).flatMap(({ name, defaultValue }) =>
      defaultValue === undefined ? [] : [[name, defaultValue]],
    ),
  );

/** An argument that is null is one that is not given. */
const withoutNulls = (given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

const ownerOf = ({ companyId, tokenId }: NonNullable<RequestContext['actor']>) => ({ companyId, tokenId });

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
