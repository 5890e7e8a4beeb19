import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';

/** The cost of an operation, measured before it runs. */
export interface QueryCost {
  /**
   * About how many objects it may load. A list counts {@link assumedListSize} times, a connection its page size. A field
   * that reads as much as several objects counts as many more as it says.
   */
  complexity: number;
  /** Levels of fields. */
  depth: number;
  aliases: number;
  /** Fields that return a page of a list. */
  pages: number;
}

export const noCost: QueryCost = { complexity: 0, depth: 0, aliases: 0, pages: 0 };

const assumedListSize = 10;
/** An alias in an introspection can repeat the whole schema. */
const introspectionAlias = 10;

/**
 * Measures one operation, valid or not. An unknown fragment costs nothing, a fragment that contains itself counts once,
 * and introspection costs only its aliases, tenfold. `numberIn` is the number that a variable has.
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  numberIn: (variable: string) => number | undefined,
): QueryCost {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  );
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
    if (node.name.value.startsWith('__')) {
      const inside = node.selectionSet ? selection(node.selectionSet, undefined) : noCost;
      return { ...noCost, aliases: aliases + introspectionAlias * inside.aliases };
    }
    const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined;
    const inner = definition && getNamedType(definition.type);
    const own = weightOf(definition) + sumOf(node.arguments ?? [], (argument) => argumentWeight(argument, definition));
    if (!node.selectionSet) return { ...noCost, complexity: own, depth: 1, aliases };
    const isKnown = definition && isCompositeType(inner);
    const size = isKnown && isListType(getNullableType(definition.type)) ? (page ?? assumedListSize) : 1;
    const ownPage = definition && pageSize(node, definition.args);
    const children = selection(node.selectionSet, isKnown ? inner : undefined, ownPage);
    const { complexity, depth } = children;
    return sum(
      { complexity: own + size * (1 + complexity), depth: 1 + depth, aliases, pages: ownPage === undefined ? 0 : 1 },
      { ...children, complexity: 0, depth: 0 },
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
      const given = value.kind === Kind.VARIABLE ? numberIn(value.name.value) : valueFromASTUntyped(value);
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
  pages: Math.min(one.pages + other.pages, Number.MAX_SAFE_INTEGER),
});
