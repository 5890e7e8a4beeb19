import { type GraphQLEnumType, type GraphQLSchema, type GraphQLType, getNamedType } from 'graphql';
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

export function scalar(type: GraphQLType): JsonSchema {
  const { name } = getNamedType(type);
  const schema = scalars[name];
  if (!schema) throw new Error(`REST has no form for the GraphQL type ${name}`);
  return schema;
}

export const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { oneOf: [schema, { type: 'null' }] };

/** Returns a reference to the component of that name, which the first call makes. */
type Component = (name: string, make: () => JsonSchema) => JsonSchema;

/** Collects the components of one document. `text` spells a description of the schema for REST. */
export function collectComponents(schema: GraphQLSchema) {
  const schemas: Record<string, JsonSchema> = {};
  const text = restText(schema);

  const component: Component = (name, make) => {
    schemas[name] ??= make();
    return { $ref: `#/components/schemas/${name}` };
  };

  function enumeration(type: GraphQLEnumType): JsonSchema {
    const values = type.getValues();
    const lines = values.map(({ name, description }) => `- \`${snakeCase(name)}\`: ${text(description)}`);
    return component(type.name, () => ({
      type: 'string',
      description: `${text(type.description)}\n\n${lines.join('\n')}`,
      enum: values.map(({ name }) => snakeCase(name)),
    }));
  }

  return { schemas, component, enumeration, text };
}

export type Components = ReturnType<typeof collectComponents>;
