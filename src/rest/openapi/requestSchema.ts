import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { snakeCase } from '../../naming.js';
import { type Components, type JsonSchema, nullable, scalar } from './jsonSchema.js';
import { aboutField } from './text.js';

/** The schema of a request body. Nullable fields may be null or absent, and other fields are not allowed. */
export function requestSchema(type: GraphQLInputObjectType, components: Components): JsonSchema {
  const { component, text } = components;
  const fields = Object.values(type.getFields());
  const required = fields.filter(isRequiredInputField).map(({ name }) => snakeCase(name));
  return component(type.name, () => ({
    type: 'object',
    description: text(type.description),
    properties: Object.fromEntries(
      fields.map((field) => [
        snakeCase(field.name),
        { ...schemaOf(field.type, components, constraintsOf(field.extensions)), ...aboutField(field, text) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }));
}

/** The constraints of an input field in addition to its type. */
const constraintsOf = ({ minimum, maximum, maxLength, maxItems }: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries({ minimum, maximum, maxLength, maxItems }).filter(([, value]) => value !== undefined),
  );

function schemaOf(type: GraphQLInputType, components: Components, constraints: JsonSchema = {}): JsonSchema {
  const inner = getNullableType(type);
  const value = () => {
    if (isListType(inner)) return { type: 'array', items: schemaOf(inner.ofType, components), ...constraints };
    if (isInputObjectType(inner)) return requestSchema(inner, components);
    return isEnumType(inner) ? components.enumeration(inner) : { ...scalar(inner), ...constraints };
  };
  return isNonNullType(type) ? value() : nullable(value());
}
