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

/** The rest of an object or a list, for a later turn. */
interface Rest {
  position: ResponsePosition | undefined;
  /** Returns false if it fails at once. */
  begin: () => boolean;
}

/** One execution of an operation. */
class Run {
  readonly errors: GraphQLError[] = [];
  #items = 0;
  /** What waits for its turn, the last first. */
  #waiting: Rest[] = [];
  /** What has been added to it since it was looked at. */
  #added: Rest[] = [];
  #isResuming = false;

  constructor(
    readonly variables: Record<string, unknown>,
    readonly context: unknown,
    readonly rootValue: unknown,
    readonly budget: ResponseBudget | undefined,
  ) {}

  /** Called for each item of a list. */
  countItem(): void {
    this.#items += 1;
  }

  /** Whether others have their turn now: then nothing more of the response is begun, but put off. */
  get isPaused(): boolean {
    return this.#items > itemsInATurn;
  }

  /**
   * Does the rest of the object or list at a position in a later turn, in the order in which all would have been done
   * without a pause, so that errors have the order that graphql-js gives them. What an error has hidden is not done: then
   * the promise stays pending, and nothing in the response waits for it.
   */
  putOff<Value>(position: ResponsePosition | undefined, work: () => Maybe<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        try {
          resolve(work());
          return true;
        } catch (error) {
          reject(error);
          return false;
        }
      };
      this.#added.push({ position, begin });
      if (!this.#isResuming) void this.#resume();
    });
  }

  /** Forgets what is put off: the response is complete without it. */
  abandon(): void {
    this.#waiting = [];
    this.#added = [];
  }

  async #resume(): Promise<void> {
    this.#isResuming = true;
    while (this.#waiting.length + this.#added.length > 0) {
      await setImmediate();
      this.#items = 0;
      this.#waiting = [...this.#takeAdded(), ...this.#waiting];
      let next = this.#waiting.pop();
      while (next) {
        const isWanted = !next.position || !isHidden(next.position);
        const hasFailed = isWanted && !next.begin();
        // What it puts off itself comes before the others.
        this.#waiting.push(...this.#takeAdded());
        // After a failure, it is known in the next turn what that has hidden.
        next = hasFailed || this.isPaused ? undefined : this.#waiting.pop();
      }
    }
    this.#isResuming = false;
  }

  #takeAdded(): Rest[] {
    const added = this.#added.reverse();
    this.#added = [];
    return added;
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
const bytesPerNode = 8;
/** Of one combination of variables, without its fields. */
const bytesPerCombination = 500;
const mostBytes = Math.floor(getHeapStatistics().heap_size_limit * share);
/** How many combinations of the variables in `@include` and `@skip` are kept for an operation: callers choose them. */
const mostCombinations = 16;

/** What an operation selects, with these values of the variables in `@include` and `@skip`. */
class Selections {
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly root: Fields;
  readonly #valuesOf: () => Values;
  readonly #count: (bytes: number) => void;

  constructor(
    readonly schema: GraphQLSchema,
    document: DocumentNode,
    readonly operation: OperationDefinitionNode,
    valuesOf: () => Values,
    count: (bytes: number) => void,
  ) {
    this.#valuesOf = valuesOf;
    this.#count = count;
    this.fragments = fragmentsOf(document);
    const type = schema.getRootType(operation.operation);
    if (!type) throw new Error(`the schema has no ${operation.operation}`);
    this.root = this.#fieldsOf(type, collectFields(schema, this.fragments, valuesOf(), type, operation.selectionSet));
  }

  beneath(nodes: readonly FieldNode[], type: GraphQLObjectType): Fields {
    return this.#fieldsOf(type, collectSubfields(this.schema, this.fragments, this.#valuesOf(), type, nodes));
  }

  #fieldsOf(type: GraphQLObjectType, collected: ReturnType<typeof collectFields>): Fields {
    let nodeCount = 0;
    for (const nodes of collected.values()) nodeCount += nodes.length;
    this.#count(collected.size * bytesPerField + nodeCount * bytesPerNode);
    return [...collected].flatMap(([key, nodes]) => {
      const definition = getFieldDef(this.schema, type, nodes[0] as FieldNode);
      return definition ? new SelectedField(this, type, definition, key, nodes) : [];
    });
  }
}

const fragmentsKnown = new WeakMap<DocumentNode, Selections['fragments']>();

/** The fragments of a document by their names, which its operations share. */
function fragmentsOf(document: DocumentNode): Selections['fragments'] {
  const known = fragmentsKnown.get(document);
  if (known) return known;
  const fragments: Selections['fragments'] = Object.create(null);
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  }
  fragmentsKnown.set(document, fragments);
  return fragments;
}

/** What is kept for a combination of variables. */
interface Kept {
  selections: Selections;
  /** Counts it no more. */
  drop: () => void;
}

/** By the values of the variables, in the order of their names in the document: the names may be long. */
type Combinations = Map<string, Kept>;

let known = new WeakMap<OperationDefinitionNode, Combinations>();
let bytes = 0;

/**
 * What an operation selects, kept from its second execution on, for the last combinations of its variables. When too much
 * is kept of all operations, all is forgotten.
 */
export function selectionsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): Selections {
  const combinations = known.get(operation);
  if (!combinations) known.set(operation, new Map());
  const names = conditionVariables(operation, document);
  if (!combinations || !names.every((name) => typeof values[name] === 'boolean')) {
    const valuesOf = () => values;
    return new Selections(schema, document, operation, valuesOf, () => {});
  }
  const key = names.map((name) => (values[name] ? '1' : '0')).join('');
  const existing = combinations.get(key);
  if (existing && combinations.size === 1) return existing.selections;
  const kept = existing ?? newlyKept(schema, document, operation, names, key);
  // The last used is the last of them.
  combinations.delete(key);
  combinations.set(key, kept);
  const [oldest = key] = combinations.keys();
  if (combinations.size > mostCombinations) {
    combinations.get(oldest)?.drop();
    combinations.delete(oldest);
  }
  return kept.selections;
}

function newlyKept(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  names: readonly string[],
  key: string,
): Kept {
  const generation = known;
  let own = 0;
  let isDropped = false;
  const isCounted = () => !isDropped && generation === known;
  const count = (more: number) => {
    if (!isCounted()) return;
    own += more;
    bytes += more;
    if (bytes > mostBytes) forgetAll();
  };
  const drop = () => {
    if (isCounted()) bytes -= own;
    isDropped = true;
  };
  count(bytesPerCombination + key.length);
  const valuesOf = () => Object.fromEntries(names.map((name, index) => [name, key[index] === '1']));
  return { selections: new Selections(schema, document, operation, valuesOf, count), drop };
}

function forgetAll(): void {
  bytes = 0;
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
        run.countItem();
        if (run.isPaused) {
          pending.push(run.putOff(above, () => completeRest(run, items, above, done)));
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
const executeFields = (
  run: Run,
  fields: readonly SelectedField[],
  object: unknown,
  position: ResponsePosition | undefined,
): Maybe<FieldValues> => executeRest(run, fields, 0, object, position, new FieldValues());

function executeRest(
  run: Run,
  fields: readonly SelectedField[],
  first: number,
  object: unknown,
  position: ResponsePosition | undefined,
  values: FieldValues,
): Maybe<FieldValues> {
  const pending: Promise<unknown>[] = [];
  try {
    for (let index = first; index < fields.length; index += 1) {
      if (run.isPaused) {
        pending.push(run.putOff(position, () => executeRest(run, fields, index, object, position, values)));
        break;
      }
      const field = fields[index] as SelectedField;
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
  const run = new Run(coerced, contextValue, rootValue, budget);
  try {
    // Throws if a condition of `@include` or `@skip` is null.
    const { root } = selectionsOf(schema, document, operation, coerced);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const data = isMutation
      ? await executeSerially(run, root, rootValue)
      : await executeFields(run, root, rootValue, undefined);
    return run.errors.length === 0 ? { data } : { errors: [...run.errors], data };
  } catch (error) {
    run.abandon();
    return { errors: [...run.errors, error as GraphQLError], data: null };
  }
}
