import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLEnumType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { snakeCase } from '../../naming.js';
import { restText } from './text.js';

export type JsonSchema = Record<string, unknown>;

const scalars: Record<string, JsonSchema> = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  BigInt: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  DateTime: { type: 'string', format: 'date-time' },
  Date: { type: 'string', format: 'date' },
};

function scalar({ name }: { name: string }): JsonSchema {
  const schema = scalars[name];
  if (!schema) throw new Error(`REST has no form for the GraphQL type ${name}`);
  return schema;
}

const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { oneOf: [schema, { type: 'null' }] };

/** What a field of an input object says of its values, beside its type. */
const constraintsOf = ({ minimum, maximum, maxLength, maxItems }: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries({ minimum, maximum, maxLength, maxItems }).filter(([, value]) => value !== undefined),
  );

/**
 * The JSON Schemas of what REST takes and gives, read off the GraphQL schema and the stored selections. What a fragment
 * selects becomes a component, named as its type, or as the fragment where several select from one type.
 */
export function projectSchemas(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
  const components: Record<string, JsonSchema> = {};
  const text = restText(schema);

  function component(name: string, make: () => JsonSchema): JsonSchema {
    components[name] ??= make();
    return { $ref: `#/components/schemas/${name}` };
  }

  function enumeration(type: GraphQLEnumType): JsonSchema {
    const values = type.getValues();
    const lines = values.map(({ name, description }) => `- \`${snakeCase(name)}\`: ${text(description)}`);
    return component(type.name, () => ({
      type: 'string',
      description: `${text(type.description)}\n\n${lines.join('\n')}`,
      enum: values.map(({ name }) => snakeCase(name)),
    }));
  }

  /** A request body: what GraphQL lets be null may be null or absent, and there are no other fields. */
  function input(type: GraphQLInputObjectType): JsonSchema {
    const fields = Object.values(type.getFields());
    const required = fields.filter(isRequiredInputField).map(({ name }) => snakeCase(name));
    return component(type.name, () => ({
      type: 'object',
      description: text(type.description),
      properties: Object.fromEntries(
        fields.map((field) => [
          snakeCase(field.name),
          { ...inputValue(field.type, constraintsOf(field.extensions)), description: text(field.description) },
        ]),
      ),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    }));
  }

  function inputValue(type: GraphQLInputType, constraints: JsonSchema = {}): JsonSchema {
    const inner = getNullableType(type);
    const value = () => {
      if (isListType(inner)) return { type: 'array', items: inputValue(inner.ofType), ...constraints };
      if (isInputObjectType(inner)) return input(inner);
      return isEnumType(inner) ? enumeration(inner) : { ...scalar(getNamedType(inner)), ...constraints };
    };
    return isNonNullType(type) ? value() : nullable(value());
  }

  /** A response body: a field of the payload that GraphQL lets be null may be absent too. */
  function payload(type: GraphQLObjectType, selection: SelectionSetNode): JsonSchema {
    return component(type.name, () => record(type, selection, (name) => isNonNullType(type.getFields()[name]?.type)));
  }

  /** An object with what is selected of it. Below the payload every field is always there, null where it is empty. */
  function record(type: GraphQLObjectType, selection: SelectionSetNode, isRequired = (_name: string) => true) {
    const names = selectedFields(selection);
    const required = names.filter(({ name }) => isRequired(name.value)).map(({ name }) => snakeCase(name.value));
    return {
      type: 'object',
      description: text(type.description),
      properties: Object.fromEntries(names.map((field) => property(type, field))),
      ...(required.length > 0 && { required }),
    };
  }

  function property(type: GraphQLObjectType, { name, selectionSet }: FieldNode): [string, JsonSchema] {
    const field = type.getFields()[name.value];
    if (field) {
      const description = text(field.description);
      return [snakeCase(name.value), { ...output(field.type, selectionSet), description }];
    }
    return [name.value, { type: 'string', const: snakeCase(type.name), description: 'What kind of record this is.' }];
  }

  function output(type: GraphQLOutputType, selection: SelectionSetNode | undefined): JsonSchema {
    const inner = getNullableType(type);
    const value = () => {
      if (isListType(inner)) return { type: 'array', items: output(inner.ofType, selection) };
      if (isEnumType(inner)) return enumeration(inner);
      return isObjectType(inner) && selection ? selected(inner, selection) : scalar(getNamedType(inner));
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

  return { components, component, input, payload, text };
}
