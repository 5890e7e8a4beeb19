import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import {
  type DocumentNode,
  defaultFieldResolver,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ResponsePath,
  responsePathAsArray,
  type SelectionSetNode,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { getFieldDef } from 'graphql/execution/execute.js';
import { failure, withoutStack } from '../failures/index.js';
import { conditionVariables, operationOf } from './operation.js';

/** What is sent in place of a response with more characters than that. */
export const tooLong = (maximum: number) =>
  failure('QUERY_TOO_COMPLEX', { exceeded: [{ limit: 'characters', maximum }] });

/** What each item of a list counts, besides the names of its fields: it takes time and memory, however short it is. */
const itemLength = 600;
/** Shorter texts are not counted, which would cost more time than it is worth. */
const longTextLength = 1_000;
/** From how many characters on a response is long, and waits for its turn. */
const longResponse = 1_000_000;

interface Limits {
  /** The most characters in the response. */
  responseCharacters: number;
  /** Waits until the response may become long. Omitted if it may at once. */
  becomeLong?: () => Promise<void>;
}

/** What the response to one operation has become so far. Each count returns what has to be waited for before going on. */
export class ResponseBudget {
  readonly #limits: Limits;
  #characters = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts the items of a list, for each of which the names of its fields take so many characters. */
  countItems(items: number, names: number): Promise<void> | undefined {
    return this.#count(items * (itemLength + names));
  }

  countText({ length }: string): Promise<void> | undefined {
    return length > longTextLength ? this.#count(length) : undefined;
  }

  /** Throws 400 if the response has no room, also if a field that waited as long has taken the rest. */
  #count(characters: number): Promise<void> | undefined {
    this.#characters += characters;
    this.#check();
    const { becomeLong } = this.#limits;
    return becomeLong && this.#characters > longResponse ? becomeLong().then(() => this.#check()) : undefined;
  }

  #check(): void {
    const { responseCharacters } = this.#limits;
    if (this.#characters > responseCharacters) throw tooLong(responseCharacters);
  }
}

/** What JSON adds to a name: quotation marks, a colon, a comma. */
const perName = 4;

const counts = new WeakMap<SelectionSetNode, number>();

/** How many characters the names of the fields beneath a field take in a response, once for each of its items. */
function namesBeneath({ fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>): number {
  const beneath = (selections: SelectionSetNode | undefined): number => {
    if (!selections) return 0;
    const counted = counts.get(selections);
    if (counted !== undefined) return counted;
    const sum = selections.selections.reduce((total, node) => {
      if (node.kind === Kind.INLINE_FRAGMENT) return total + beneath(node.selectionSet);
      if (node.kind === Kind.FRAGMENT_SPREAD) return total + beneath(fragments[node.name.value]?.selectionSet);
      const { length } = (node.alias ?? node.name).value;
      return total + length + perName + beneath(node.selectionSet);
    }, 0);
    counts.set(selections, sum);
    return sum;
  };
  return fieldNodes.reduce((total, { selectionSet }) => total + beneath(selectionSet), 0);
}

/** Where a value stands in the response. */
interface ResponsePosition extends ResponsePath {
  readonly prev: ResponsePosition | undefined;
  /** Whether an error has made it null, which hides all errors beneath it. */
  isNull?: boolean;
}

/** What has a type, and becomes null if it fails. */
interface Place {
  nodes: readonly FieldNode[];
  isRequired: boolean;
}

/** How many items of a response are completed before other requests have a turn. */
const itemsInATurn = 500;

/** One execution of an operation. */
class Run {
  readonly errors: GraphQLError[] = [];
  #items = 0;
  #nextTurn: Promise<void> | undefined;

  constructor(
    readonly variables: Record<string, unknown>,
    readonly context: unknown,
    readonly rootValue: unknown,
    readonly budget: ResponseBudget | undefined,
  ) {}

  /** Called for each item of a list. What it returns has to be waited for before that is completed. */
  waitForTurn(): Promise<void> | undefined {
    this.#items += 1;
    if (this.#items <= itemsInATurn) return undefined;
    this.#nextTurn ??= setImmediate().then(() => {
      this.#items = 0;
      this.#nextTurn = undefined;
    });
    return this.#nextTurn;
  }

  /** Handles what failed where a value should be: it becomes null, or what it is part of fails. */
  fail(error: unknown, { nodes, isRequired }: Place, position: ResponsePosition): null {
    const located = at(error, nodes, responsePathAsArray(position));
    if (isRequired) throw located;
    if (!isHidden(position)) this.errors.push(located);
    position.isNull = true;
    return null;
  }
}

/** As graphql-js makes it, but what is expected to fail has no stack, which takes longer than all else. */
function at(error: unknown, nodes: readonly FieldNode[], path: readonly (string | number)[]): GraphQLError {
  if (!(error instanceof GraphQLError) || error.path || error.originalError) return locatedError(error, nodes, path);
  const { message, source, positions, extensions } = error;
  const place = { nodes: error.nodes ?? nodes, source, positions, path };
  return withoutStack(() => new GraphQLError(message, { ...place, extensions }));
}

function isHidden(position: ResponsePosition): boolean {
  for (let place: ResponsePosition | undefined = position; place; place = place.prev) if (place.isNull) return true;
  return false;
}

type Maybe<T> = T | Promise<T>;

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Replaces a promise by its value. */
async function put<Key extends PropertyKey>(
  values: Record<Key, unknown>,
  key: Key,
  promise: Promise<unknown>,
): Promise<void> {
  values[key] = await promise;
}

/** Throws once all that is under way has ended or some of it has failed, so that no rejection is unhandled. */
function failAfter(pending: readonly Promise<unknown>[], error: unknown): Promise<never> {
  const rethrow = () => {
    throw error;
  };
  return pending.length === 0 ? rethrow() : Promise.all(pending).then(rethrow, rethrow);
}

type Fields = readonly SelectedField[];
type Values = Record<string, unknown>;

/** The part of the heap that all may fill, and about how many bytes a field needs, with what is planned for it. */
const share = 1 / 64;
const bytesPerField = 1_000;
const mostFields = Math.floor((getHeapStatistics().heap_size_limit * share) / bytesPerField);

/** What an operation selects, with these values of the variables in `@include` and `@skip`. */
class Selections {
  readonly fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  readonly root: Fields;
  readonly #values: Values;
  readonly #count: typeof count;

  constructor(
    readonly schema: GraphQLSchema,
    { definitions }: DocumentNode,
    readonly operation: OperationDefinitionNode,
    values: Values,
    counted: typeof count,
  ) {
    this.#values = values;
    this.#count = counted;
    for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) this.fragments[node.name.value] = node;
    const type = schema.getRootType(operation.operation);
    if (!type) throw new Error(`the schema has no ${operation.operation}`);
    this.root = this.#fieldsOf(type, collectFields(schema, this.fragments, values, type, operation.selectionSet));
  }

  beneath(nodes: readonly FieldNode[], type: GraphQLObjectType): Fields {
    return this.#fieldsOf(type, collectSubfields(this.schema, this.fragments, this.#values, type, nodes));
  }

  #fieldsOf(type: GraphQLObjectType, collected: ReturnType<typeof collectFields>): Fields {
    this.#count(collected.size);
    return [...collected].flatMap(([key, nodes]) => {
      const definition = getFieldDef(this.schema, type, nodes[0] as FieldNode);
      return definition ? new SelectedField(this, type, definition, key, nodes) : [];
    });
  }
}

let known = new WeakMap<OperationDefinitionNode, Map<string, Selections>>();
let fields = 0;

/** What an operation selects, kept from its second execution on. When too much is kept, all is forgotten. */
function selectionsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): Selections {
  const kept = known.get(operation);
  if (!kept) {
    known.set(operation, new Map());
    return new Selections(schema, document, operation, values, () => {});
  }
  // Nothing else of the variables is kept, which may be long.
  const conditions = Object.fromEntries(conditionVariables(operation, document).map((name) => [name, values[name]]));
  const key = JSON.stringify(conditions);
  const selections = kept.get(key) ?? new Selections(schema, document, operation, conditions, count);
  kept.set(key, selections);
  return selections;
}

function count(more: number): void {
  fields += more;
  if (fields <= mostFields) return;
  fields = 0;
  known = new WeakMap();
}

const noArguments = Object.freeze({});

/** A field that an operation selects of a type of objects, with what all of its executions have in common. */
class SelectedField {
  readonly isRequired: boolean;
  readonly #complete: Complete;
  readonly #isLeaf: boolean;
  /** What of the object it shows as it is. */
  readonly #exposed: string | undefined;
  readonly #beneath = new Map<GraphQLObjectType, readonly SelectedField[]>();

  constructor(
    readonly selections: Selections,
    readonly type: GraphQLObjectType,
    readonly definition: GraphQLField<unknown, unknown>,
    readonly key: string,
    readonly nodes: readonly FieldNode[],
  ) {
    this.isRequired = isNonNullType(definition.type);
    this.#complete = completionOf(this, definition.type);
    this.#isLeaf = isLeafType(getNamedType(definition.type));
    this.#exposed = definition.extensions.pothosExposedField as string | undefined;
  }

  /** What is selected of its value, if that is of this type. */
  beneath(type: GraphQLObjectType): readonly SelectedField[] {
    const fields = this.#beneath.get(type) ?? this.selections.beneath(this.nodes, type);
    this.#beneath.set(type, fields);
    return fields;
  }

  /** Its value in the response for an object, which is at that position. */
  execute(run: Run, object: unknown, above: ResponsePosition | undefined): unknown {
    let position: ResponsePosition | undefined;
    try {
      const exposed = this.#exposed && (object as Record<string, unknown>)[this.#exposed];
      if (exposed !== undefined && this.#isLeaf) return this.#complete(run, exposed, undefined);
      const at = this.#positionIn(above);
      position = at;
      const value = this.#resolve(run, object, at);
      const completed = isPromise(value)
        ? value.then((resolved) => this.#complete(run, resolved, at))
        : this.#complete(run, value, at);
      return isPromise(completed) ? completed.then(undefined, (error) => run.fail(error, this, at)) : completed;
    } catch (error) {
      return run.fail(error, this, position ?? this.#positionIn(above));
    }
  }

  /** What resolvers may ask about the execution. */
  infoAt({ variables, rootValue }: Run, path: ResponsePosition): GraphQLResolveInfo {
    const { definition, nodes, type, selections } = this;
    return {
      fieldName: definition.name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType: type,
      path,
      schema: selections.schema,
      fragments: selections.fragments,
      rootValue,
      operation: selections.operation,
      variableValues: variables,
    };
  }

  #resolve(run: Run, object: unknown, position: ResponsePosition): unknown {
    const { args, resolve = defaultFieldResolver } = this.definition;
    const [node] = this.nodes;
    const values = args.length > 0 && node ? getArgumentValues(this.definition, node, run.variables) : noArguments;
    return resolve(object, values, run.context, this.infoAt(run, position));
  }

  #positionIn(above: ResponsePosition | undefined): ResponsePosition {
    return { prev: above, key: this.key, typename: this.type.name };
  }
}

/** Makes of what a resolver returned what the response has. Only a leaf needs no position. */
type Complete = (run: Run, value: unknown, position: ResponsePosition | undefined) => unknown;

/** How the values of a type are completed, which is the field's or that of its items. */
function completionOf(field: SelectedField, type: GraphQLOutputType): Complete {
  if (isNonNullType(type)) return required(field, completionOf(field, type.ofType));
  const complete = presentOf(field, type);
  return (run, value, position) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    return complete(run, value, position);
  };
}

function required({ type, definition }: SelectedField, complete: Complete): Complete {
  const check = (completed: unknown) => {
    if (completed !== null) return completed;
    throw new Error(`Cannot return null for non-nullable field ${type.name}.${definition.name}.`);
  };
  return (run, value, position) => {
    const completed = complete(run, value, position);
    return isPromise(completed) ? completed.then(check) : check(completed);
  };
}

function presentOf(field: SelectedField, type: GraphQLOutputType): Complete {
  if (isLeafType(type)) return leaf(type, !isIntrospectionType(field.type));
  if (isListType(type)) return completeList(field, completionOf(field, type.ofType), isNonNullType(type.ofType));
  if (isObjectType(type)) return (run, value, position) => executeFields(run, field.beneath(type), value, position);
  return abstract(field, type as GraphQLAbstractType);
}

function leaf(type: GraphQLLeafType, isCounted: boolean): Complete {
  const isText = isCounted && type === GraphQLString;
  return ({ budget }, value) => {
    const serialized = serialize(type, value);
    const wait = isText && budget?.countText(serialized as string);
    return wait ? wait.then(() => serialized) : serialized;
  };
}

function serialize(type: GraphQLLeafType, value: unknown): unknown {
  let serialized: unknown;
  try {
    serialized = type.serialize(value);
  } catch (error) {
    // It is the server's mistake, which clients are not told about.
    throw error instanceof GraphQLError ? new Error(error.message) : error;
  }
  if (serialized === null || serialized === undefined) throw new Error(`${type.name} has made nothing of a value`);
  return serialized;
}

function abstract(field: SelectedField, type: GraphQLAbstractType): Complete {
  const { schema } = field.selections;
  return (run, value, position) => {
    const complete = (name: unknown) => {
      const found = schema.getType(String(name));
      if (isObjectType(found) && schema.isSubType(type, found)) {
        return executeFields(run, field.beneath(found), value, position);
      }
      throw new Error(`${type.name} has no type ${String(name)}`);
    };
    const name = type.resolveType?.(value, run.context, field.infoAt(run, position as ResponsePosition), type);
    return isPromise(name) ? name.then(complete) : complete(name);
  };
}

/** How lists are completed whose items are completed so. */
function completeList(field: SelectedField, completeItem: Complete, isRequired: boolean): Complete {
  const { nodes, type, definition, selections } = field;
  const isCounted = !isIntrospectionType(type);
  const names = namesBeneath({ fieldNodes: nodes, fragments: selections.fragments });

  const completeAt = (run: Run, item: unknown, position: ResponsePosition): unknown => {
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => completeItem(run, resolved, position))
        : completeItem(run, item, position);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error) => run.fail(error, { nodes, isRequired }, position));
    } catch (error) {
      return run.fail(error, { nodes, isRequired }, position);
    }
  };

  const completeRest = (
    run: Run,
    items: unknown[],
    above: ResponsePosition | undefined,
    done: unknown[],
  ): Maybe<unknown[]> => {
    const pending: Promise<unknown>[] = [];
    try {
      for (let index = done.length; index < items.length; index += 1) {
        const turn = run.waitForTurn();
        if (turn) {
          pending.push(turn.then(() => completeRest(run, items, above, done)));
          break;
        }
        const completed = completeAt(run, items[index], { prev: above, key: index, typename: undefined });
        done[index] = completed;
        if (isPromise(completed)) pending.push(put(done, index, completed));
      }
    } catch (error) {
      return failAfter([...pending, ...items.filter(isPromise)], error);
    }
    return pending.length === 0 ? done : Promise.all(pending).then(() => done);
  };

  return (run, value, position) => {
    if (!Array.isArray(value)) throw new Error(`${type.name}.${definition.name} has no list`);
    const wait = isCounted && run.budget?.countItems(value.length, names);
    return wait ? wait.then(() => completeRest(run, value, position, [])) : completeRest(run, value, position, []);
  };
}

type FieldValues = Record<string, unknown>;

/** An object of the response, which may have any name. */
const FieldValues = function Values() {} as unknown as new () => FieldValues;
FieldValues.prototype = Object.create(null);

/** The values of fields by their keys, in their order. */
function executeFields(
  run: Run,
  fields: readonly SelectedField[],
  object: unknown,
  position: ResponsePosition | undefined,
): Maybe<FieldValues> {
  const values = new FieldValues();
  const pending: Promise<unknown>[] = [];
  try {
    for (const field of fields) {
      const value = field.execute(run, object, position);
      values[field.key] = value;
      if (isPromise(value)) pending.push(put(values, field.key, value));
    }
  } catch (error) {
    return failAfter(pending, error);
  }
  return pending.length === 0 ? values : Promise.all(pending).then(() => values);
}

/** The same one after the other. */
async function executeSerially(run: Run, fields: readonly SelectedField[], object: unknown): Promise<FieldValues> {
  const values = new FieldValues();
  for (const field of fields) values[field.key] = await field.execute(run, object, undefined);
  return values;
}

/** Executes a valid operation as graphql-js does. What executions of the same document have in common is kept. */
export async function execute(
  { schema, document, operationName, variableValues, rootValue, contextValue }: ExecutionArgs,
  budget?: ResponseBudget,
): Promise<ExecutionResult> {
  const operation = operationOf(document, operationName);
  if (!operation) throw new Error('the document has no such operation');
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, {
    maxErrors: 50,
  });
  if (!coerced) return { errors };
  const { root } = selectionsOf(schema, document, operation, coerced);
  const run = new Run(coerced, contextValue, rootValue, budget);
  try {
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const data = isMutation
      ? await executeSerially(run, root, rootValue)
      : await executeFields(run, root, rootValue, undefined);
    return run.errors.length === 0 ? { data } : { errors: [...run.errors], data };
  } catch (error) {
    return { errors: [...run.errors, error as GraphQLError], data: null };
  }
}
