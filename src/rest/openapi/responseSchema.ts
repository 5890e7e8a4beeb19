import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { snakeCase } from '../../naming.js';
import { type Components, type JsonSchema, nullable, scalar } from './jsonSchema.js';
import { aboutField } from './text.js';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/**
 * The schema of a response body, derived from the selection of the payload. Each fragment becomes a component, named
 * after its type, or after the fragment if several select from one type.
 */
export function responseSchemas({ component, enumeration, text }: Components, fragments: Fragments) {
  /** A nullable field of the payload may also be absent. */
  function payload(type: GraphQLObjectType, selection: SelectionSetNode): JsonSchema {
    const isRequired = (name: string) => isNonNullType(type.getFields()[name]?.type);
    return component(type.name, () => record(type, selection, isRequired));
  }

  /** An object with its selected fields. Below the payload every field is always present, null where it is empty. */
  function record(type: GraphQLObjectType, selection: SelectionSetNode, isRequired = (_name: string) => true) {
    const nodes = selectedFields(selection);
    const required = nodes.filter(({ name }) => isRequired(name.value)).map(({ name }) => snakeCase(name.value));
    return {
      type: 'object',
      description: text(type.description),
      properties: Object.fromEntries(nodes.map((node) => property(type, node))),
      ...(required.length > 0 && { required }),
    };
  }

  function property(type: GraphQLObjectType, { name, selectionSet }: FieldNode): [string, JsonSchema] {
    const field = type.getFields()[name.value];
    if (field) return [snakeCase(name.value), { ...schemaOf(field.type, selectionSet), ...aboutField(field, text) }];
    return [name.value, { type: 'string', const: snakeCase(type.name), description: 'The type of the record.' }];
  }

  function schemaOf(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
    const inner = getNullableType(type);
    const value = () => {
      if (isListType(inner)) return { type: 'array', items: schemaOf(inner.ofType, selection) };
      if (isEnumType(inner)) return enumeration(inner);
      return isObjectType(inner) && selection ? selected(inner, selection) : scalar(inner);
    };
    return isNonNullType(type) ? value() : nullable(value());
  }

  function selected(type: GraphQLObjectType, selection: SelectionSetNode): JsonSchema {
    const [only, ...others] = selection.selections;
    if (only?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0) return record(type, selection);
    return component(componentName(type, only.name.value), () => record(type, selection));
  }

  function componentName(type: GraphQLObjectType, fragment: string): string {
    const ofType = [...fragments.values()].filter(({ typeCondition }) => typeCondition.name.value === type.name);
    return ofType.length === 1 ? type.name : fragment.replace(/Fields$/, '');
  }

  function selectedFields({ selections }: SelectionSetNode): FieldNode[] {
    return selections.flatMap((node) => {
      if (node.kind === Kind.FIELD) return node;
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node;
      return fragment ? selectedFields(fragment.selectionSet) : [];
    });
  }

  return payload;
}
