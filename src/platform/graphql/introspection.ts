import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fields of a selection that may return objects, and how many objects it has been found to return for each source. */
interface Selection {
  fields: FieldNode[];
  counted: Map<unknown, number>;
}

const roots = new Map<string, Field>([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

/**
 * Counts the objects that an introspection of this schema returns, by the resolvers of graphql-js. A selection of a type,
 * field or argument is counted once, however often that is returned: nested selections multiply it exponentially.
 * What has more than `most` is not counted to its end: then the number is only larger than that.
 */
export function introspectionCost(
  schema: GraphQLSchema,
  fragments: Fragments,
  variable: (name: string) => unknown,
  most: number,
): (root: FieldNode) => number {
  const info = { schema } as GraphQLResolveInfo;
  const selections = new Map<SelectionSetNode, Selection>();
  let found = 0;

  function count({ fields, counted }: Selection, source: unknown, definitions: Record<string, Field>): number {
    const known = counted.get(source);
    if (known !== undefined) return known;
    // Fragments may go round.
    counted.set(source, 0);
    if (++found > most) return 0;
    const sum = fields.reduce((total, node) => total + objectsOf(node, definitions[node.name.value], source), 0);
    const bounded = Math.min(sum, Number.MAX_SAFE_INTEGER);
    counted.set(source, bounded);
    return bounded;
  }

  function objectsOf(node: FieldNode, definition: Field | undefined, source: unknown): number {
    const type = definition && getNamedType(definition.type);
    if (!node.selectionSet || !isObjectType(type)) return 0;
    const value: unknown = definition?.resolve?.(source, argumentsOf(node), undefined, info);
    if (!value) return 0;
    const items = Array.isArray(value) ? value : [value];
    const selection = selectionOf(node.selectionSet);
    const definitions = type.getFields();
    return items.reduce((total, item) => total + 1 + count(selection, item, definitions), 0);
  }

  function selectionOf(set: SelectionSetNode): Selection {
    const known = selections.get(set) ?? { fields: composite(set, fragments), counted: new Map() };
    selections.set(set, known);
    return known;
  }

  /** What is deprecated may be asked for. */
  function argumentsOf({ arguments: [given] = [] }: FieldNode) {
    if (!given) return { name: '', includeDeprecated: true };
    const { value } = given;
    const name = value.kind === Kind.VARIABLE ? variable(value.name.value) : valueFromASTUntyped(value);
    return { name: typeof name === 'string' ? name : '', includeDeprecated: true };
  }

  return (root) => Math.min(objectsOf(root, roots.get(root.name.value), undefined), Number.MAX_SAFE_INTEGER);
}

/** The fields with fields of their own, in a selection and its fragments: of each fragment once, as it is executed. */
function composite(set: SelectionSetNode, fragments: Fragments): FieldNode[] {
  const found: FieldNode[] = [];
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        if (node.selectionSet) found.push(node);
      } else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = fragments.get(node.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(set);
  return found;
}
