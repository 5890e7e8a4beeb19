import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  GraphQLBoolean,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLFloat,
  GraphQLInt,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import { failure } from '../failures/index.js';
import { requireScopes } from '../http/index.js';
import { introspectionCost } from './introspection.js';
import {
  type CostlyField,
  changesIn,
  fieldNames,
  fragmentsOf,
  noCost,
  operationOf,
  type Plugin,
  perOperation,
  type QueryCost,
  scopesOf,
  selectionsIn,
} from './operation.js';
import type { DocumentCache, DocumentLimits } from './parsing.js';
import { requireType } from './responding.js';

const assumedListSize = 10;

/** Measures an operation, valid or not: a fragment in itself counts once. */
function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variable: (name: string) => unknown,
  mostCounted: number,
): QueryCost {
  const fragments = fragmentsOf(document);
  const introspection = introspectionCost(schema, fragments, variable, mostCounted);
  // Measures a fragment once for each page size, because nested spreads can multiply it exponentially.
  const measured = new Map<string, QueryCost>();

  function selection(
    { selections }: SelectionSetNode,
    type: GraphQLCompositeType | undefined,
    page?: number,
  ): QueryCost {
    return selections
      .map((node) => {
        if (node.kind === Kind.FIELD) return field(node, type, page);
        if (node.kind === Kind.INLINE_FRAGMENT) {
          return selection(node.selectionSet, node.typeCondition ? named(node.typeCondition.name.value) : type, page);
        }
        return spread(node.name.value, page);
      })
      .reduce(sum, noCost);
  }

  function spread(name: string, page: number | undefined): QueryCost {
    const key = `${name} ${page}`;
    const earlier = measured.get(key);
    if (earlier) return earlier;
    measured.set(key, noCost);
    const fragment = fragments.get(name);
    const cost = fragment ? selection(fragment.selectionSet, named(fragment.typeCondition.name.value), page) : noCost;
    measured.set(key, cost);
    return cost;
  }

  function field(node: FieldNode, type: GraphQLCompositeType | undefined, page: number | undefined): QueryCost {
    const aliases = node.alias ? 1 : 0;
    const at = node.alias?.value ?? node.name.value;
    if (node.name.value.startsWith('__')) {
      const inside = node.selectionSet ? selection(node.selectionSet, undefined) : noCost;
      const complexity = introspection(node);
      const costliest = complexity > 0 ? { path: at, complexity, pages: [] } : undefined;
      return { ...noCost, complexity, aliases: aliases + inside.aliases, costliest };
    }
    const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    const inner = definition && getNamedType(definition.type);
    const own = weightOf(definition) + sumOf(node.arguments ?? [], (argument) => argumentWeight(argument, definition));
    const lengthening =
      node.alias && !(isShortValue(inner) && node.alias.value.length <= node.name.value.length) ? 1 : 0;
    if (!node.selectionSet) {
      const costliest = own > 0 ? { path: at, complexity: own, pages: [] } : undefined;
      return { ...noCost, complexity: own, depth: 1, aliases, lengthening, costliest };
    }
    const isKnown = definition && isCompositeType(inner);
    const size = isKnown && isListType(getNullableType(definition.type)) ? (page ?? assumedListSize) : 1;
    const ownPage = definition && pageSize(node, definition.args);
    const children = selection(node.selectionSet, isKnown ? inner : undefined, ownPage);
    const { complexity, depth, costliest } = children;
    const pages = size > 1 && page !== undefined ? [size] : [];
    return sum(
      {
        complexity: own + size * (1 + complexity),
        depth: 1 + depth,
        aliases,
        lengthening,
        pages: ownPage === undefined ? 0 : 1,
        costliest: { path: at, complexity: own + size, pages },
      },
      {
        ...children,
        complexity: 0,
        depth: 0,
        costliest: costliest && {
          path: `${at}.${costliest.path}`,
          complexity: Math.min(size * costliest.complexity, Number.MAX_SAFE_INTEGER),
          pages: [...pages, ...costliest.pages],
        },
      },
    );
  }

  /** What the fields of an input object cost that are given, or may be given by a variable. */
  function argumentWeight({ name, value }: ArgumentNode, definition: GraphQLField<unknown, unknown> | undefined) {
    const type = definition?.args.find((argument) => argument.name === name.value)?.type;
    const input = type && getNamedType(type);
    if (!isInputObjectType(input)) return 0;
    const fields = input.getFields();
    if (value.kind === Kind.VARIABLE) return sumOf(Object.values(fields), weightOf);
    if (value.kind !== Kind.OBJECT) return 0;
    return sumOf(value.fields, (given) => (given.value.kind === Kind.NULL ? 0 : weightOf(fields[given.name.value])));
  }

  /** The page size of a connection; undefined for any other field. */
  function pageSize(node: FieldNode, args: readonly GraphQLArgument[]): number | undefined {
    const size = args.find(({ name }) => name === 'first')?.extensions.pageSize;
    if (typeof size !== 'number') return undefined;
    const sizes = (node.arguments ?? []).flatMap(({ name, value }) => {
      if (name.value !== 'first' && name.value !== 'last') return [];
      const given = value.kind === Kind.VARIABLE ? variable(value.name.value) : valueFromASTUntyped(value);
      return typeof given === 'number' && given >= 0 ? [given] : [];
    });
    return sizes.length > 0 ? Math.max(...sizes) : size;
  }

  const named = (name: string) => {
    const type = schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  };

  return selection(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

const isShortValue = (type: GraphQLNamedType | undefined) =>
  isEnumType(type) || type === GraphQLBoolean || type === GraphQLInt || type === GraphQLFloat;

/** What a field says that it costs itself. */
const weightOf = (field: { extensions: Readonly<Record<string, unknown>> } | undefined) =>
  Number(field?.extensions.complexity ?? 0);

const sumOf = <T>(items: readonly T[], costOf: (item: T) => number) =>
  items.reduce((total, item) => total + costOf(item), 0);

/** The cost of two selections together: counts add up, to at most a safe integer; the deeper one decides the depth. */
const sum = (one: QueryCost, other: QueryCost): QueryCost => ({
  complexity: Math.min(one.complexity + other.complexity, Number.MAX_SAFE_INTEGER),
  depth: Math.max(one.depth, other.depth),
  aliases: Math.min(one.aliases + other.aliases, Number.MAX_SAFE_INTEGER),
  lengthening: Math.min(one.lengthening + other.lengthening, Number.MAX_SAFE_INTEGER),
  pages: Math.min(one.pages + other.pages, Number.MAX_SAFE_INTEGER),
  costliest: costlier(one.costliest, other.costliest),
});

/** Of the same field, selected again, both. */
function costlier(one: CostlyField | undefined, other: CostlyField | undefined): CostlyField | undefined {
  if (!one || !other) return one ?? other;
  if (one.path === other.path)
    return { ...one, complexity: Math.min(one.complexity + other.complexity, Number.MAX_SAFE_INTEGER) };
  return other.complexity > one.complexity ? other : one;
}

interface Measured {
  cost: QueryCost;
  /** The page sizes and types that variables gave. Nothing else of a request changes what its document costs. */
  given: Map<string, unknown>;
}

type CostOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
) => QueryCost;

/** Measures an operation, and again only when a variable that counts differs from the last time. */
export function operationCost(schema: GraphQLSchema, mostCounted = Number.POSITIVE_INFINITY): CostOf {
  const memoryOf = perOperation((): { last?: Measured } => ({}));
  return (document, operation, variables) => {
    const valueNow = (name: string) => valueIn(operation, variables, name);
    const memory = memoryOf(operation, document);
    const { last } = memory;
    if (last && [...last.given].every(([name, value]) => valueNow(name) === value)) return last.cost;
    const given = new Map<string, unknown>();
    const variable = (name: string) => {
      given.set(name, valueNow(name));
      return given.get(name);
    };
    const cost = measure(schema, document, operation, variable, mostCounted);
    memory.last = { cost, given };
    return cost;
  };
}

/** The value that a variable has, by itself or by its default. */
function valueIn(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Record<string, unknown>,
  name: string,
): unknown {
  const fallback = variableDefinitions.find(({ variable }) => variable.name.value === name)?.defaultValue;
  return Object.hasOwn(variables, name) ? variables[name] : fallback && valueFromASTUntyped(fallback);
}

/** The most that one GraphQL request may ask for: `mutations` are the fields of a mutation. */
export interface QueryLimits extends Pick<QueryCost, 'complexity' | 'depth' | 'aliases'>, DocumentLimits {
  mutations: number;
}

const measured = ['complexity', 'depth', 'aliases', 'mutations'] as const;

/** Measures the operation to run. Throws QUERY_TOO_COMPLEX if it is over a limit. */
function costWithin(limits: QueryLimits, schema: GraphQLSchema): CostOf {
  const costOf = operationCost(schema, limits.complexity);
  return (document, operation, variables) => {
    const cost = costOf(document, operation, variables);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    const asked = { ...cost, mutations: isMutation ? changesIn(operation, document).length : 0 };
    const exceeded = measured
      .filter((limit) => asked[limit] > limits[limit])
      .map((limit) => ({
        limit,
        actual: asked[limit],
        maximum: limits[limit],
        // A path that is too deep may be as long as the document.
        ...(limit === 'complexity' && cost.depth <= limits.depth && { costliest: cost.costliest }),
      }));
    if (exceeded.length > 0) throw failure('QUERY_TOO_COMPLEX', { exceeded });
    return cost;
  };
}

interface ValidationOptions {
  limits: QueryLimits;
  documents: DocumentCache;
}

const longestName = 100;

/**
 * Only the latest edition of GraphQL forbids them there, which the validation of graphql-js does not know: it would
 * find nothing to subscribe to.
 */
function requireUnconditionalField(document: DocumentNode, operation: OperationDefinitionNode): void {
  if (operation.operation !== OperationTypeNode.SUBSCRIPTION) return;
  const directives = selectionsIn(operation.selectionSet, fragmentsOf(document)).flatMap(
    (node) => node.directives ?? [],
  );
  const found = directives.find(({ name }) => name.value === 'skip' || name.value === 'include');
  if (!found) return;
  const problem = `The root field of a subscription, and the fragment that it is in, must not have @${found.name.value}.`;
  throw failure('BAD_REQUEST', { problem });
}

/** Whether a document may run: a token that may do all that a mutation does (403), the limits, and the rules of GraphQL (400). */
export function useValidation({ limits, documents }: ValidationOptions): Plugin {
  let costOf: ReturnType<typeof costWithin> | undefined;
  return {
    onValidate({ params: { schema, documentAST: document, rules }, context, validateFn, setValidationFn }) {
      const { params, record, grants } = context;
      const operation = operationOf(document, params.operationName);
      if (!operation) return;
      record.operationName = operation.name?.value.slice(0, longestName);
      record.operation = fieldNames(operation, document, schema) || record.operation;
      if (operation.operation === OperationTypeNode.MUTATION)
        requireScopes(grants, scopesOf(operation, document, schema));
      // Only here it is known which of the types that the router lets pass can be sent.
      requireType(context.request.headers.get('accept'), operation.operation === OperationTypeNode.SUBSCRIPTION);
      requireUnconditionalField(document, operation);
      costOf ??= costWithin(limits, schema);
      Object.assign(context, { cost: costOf(document, operation, params.variables ?? {}) });
      const own = rules?.length;
      // Another plugin may add rules, which need not say the same of each request, or replace the document.
      setValidationFn(
        (schemaNow: GraphQLSchema, documentNow: DocumentNode, rulesNow: unknown[] = [], ...more: unknown[]) => {
          if (rulesNow.length === own && documents.has(documentNow)) return [];
          const errors: unknown[] = validateFn(schemaNow, documentNow, rulesNow, ...more);
          if (errors.length === 0 && documentNow === context.parsed) documents.add(documentNow);
          return errors;
        },
      );
    },
  };
}
