import {
  type FieldNode,
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
import { type Fragments, selectedFields } from './operation.js';

type Field = GraphQLField<unknown, unknown>;

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
    const known = selections.get(set) ?? { fields: composite(set), counted: new Map() };
    selections.set(set, known);
    return known;
  }

  /** The fields with fields of their own. */
  const composite = (set: SelectionSetNode) => selectedFields(set, fragments).filter((node) => node.selectionSet);

  /** What is deprecated may be asked for. */
  function argumentsOf({ arguments: [given] = [] }: FieldNode) {
    if (!given) return { name: '', includeDeprecated: true };
    const { value } = given;
    const name = value.kind === Kind.VARIABLE ? variable(value.name.value) : valueFromASTUntyped(value);
    return { name: typeof name === 'string' ? name : '', includeDeprecated: true };
  }

  return (root) => Math.min(objectsOf(root, roots.get(root.name.value), undefined), Number.MAX_SAFE_INTEGER);
}
