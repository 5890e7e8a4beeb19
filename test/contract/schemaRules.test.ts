import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema.js';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const fields = types
  .filter((type) => isObjectType(type) || isInterfaceType(type))
  .flatMap((of) => Object.values(of.getFields()).map((field) => ({ ...field, at: `${of.name}.${field.name}`, of })));
const inputs = [
  ...fields.flatMap(({ at, args }) => args.map((argument) => ({ at: `${at}(${argument.name})`, ...argument }))),
  ...types
    .filter(isInputObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ at: `${type.name}.${field.name}`, ...field })),
    ),
];
const values = types
  .filter(isEnumType)
  .flatMap((type) => type.getValues().map((value) => ({ at: `${type.name}.${value.name}`, ...value })));

const namesOf = (members: { at: string }[]) => members.map(({ at }) => at);

test('fields and arguments are camelCase, enum values UPPER_CASE', () => {
  expect(namesOf([...fields, ...inputs].filter(({ name }) => !/^[a-z][A-Za-z0-9]*$/.test(name)))).toEqual([]);
  expect(namesOf(values.filter(({ name }) => !/^[A-Z][A-Z0-9_]*$/.test(name)))).toEqual([]);
});

test('every type, field, argument and enum value has a description', () => {
  const all = [
    ...types.map((type) => ({ at: type.name, description: type.description })),
    ...fields,
    ...inputs,
    ...values,
  ];
  expect(namesOf(all.filter(({ description }) => !description?.trim()))).toEqual([]);
});

test('every mutation takes one input of its own and answers with a payload of its own', () => {
  for (const { name, args, type } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const Name = name[0]?.toUpperCase() + name.slice(1);
    expect(args.map((argument) => `${argument.name}: ${argument.type}`)).toEqual([`input: ${Name}Input!`]);
    expect(String(type)).toBe(`${Name}Payload!`);
  }
});

test('connections are the only lists that grow with the data of a whole company', () => {
  const bare = fields.filter(
    ({ type, of }) => of === schema.getQueryType() && isListType(isNonNullType(type) ? type.ofType : type),
  );
  // A company has at most 20.
  expect(namesOf(bare)).toEqual(['Query.webhooks']);
});
