import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { catalogue, errorCodes } from '../../src/errors/catalogue.js';
import { previewOf } from '../../src/operations/declaration.js';
import { storedMutations } from '../../src/rest/routes.js';
import { prepare } from '../../src/rest/storedMutation.js';
import { schema } from '../../src/schema/index.js';

// The rules of graphql-eslint's recommended and Relay presets; the package itself brings its own eslint and pins
// that do not install beside ours.

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const objects = types.filter((type) => isObjectType(type) || isInterfaceType(type));
const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null);

interface Member {
  at: string;
  field: GraphQLField<unknown, unknown>;
  of: (typeof objects)[number];
}

const fields: Member[] = objects.flatMap((of) =>
  Object.values(of.getFields()).map((field) => ({ at: `${of.name}.${field.name}`, field, of })),
);
const inputs = [
  ...fields.flatMap(({ at, field }) => field.args.map((argument) => ({ at: `${at}(${argument.name})`, ...argument }))),
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

describe('names', () => {
  test('of types are PascalCase and do not say what kind of type they are', () => {
    const bad = types.filter(
      ({ name }) => !/^[A-Z][A-Za-z0-9]*$/.test(name) || /(Enum|Interface|Union|Object)$/.test(name),
    );
    expect(bad.map(({ name }) => name)).toEqual([]);
  });

  test('of fields and arguments are camelCase, of enum values UPPER_CASE', () => {
    const camel = [...fields.map(({ at, field }) => ({ at, name: field.name })), ...inputs];
    expect(namesOf(camel.filter(({ name }) => !/^[a-z][A-Za-z0-9]*$/.test(name)))).toEqual([]);
    expect(namesOf(values.filter(({ name }) => !/^[A-Z][A-Z0-9_]*$/.test(name)))).toEqual([]);
  });

  test('of what is true or false say that something is, has, can or would', () => {
    const flags = [
      ...fields.map(({ at, field }) => ({ at, type: field.type })),
      ...inputs.filter(({ at }) => /Filter\.|\(/.test(at)),
    ].filter(({ type }) => getNamedType(type).name === 'Boolean');
    expect(flags.length).toBeGreaterThan(40);
    const odd = namesOf(flags).filter((at) => !/[.(](is|has|can|would)[A-Z]\w*\)?$/.test(at));
    // How a goal ended, what an author chose, and what a version did.
    expect(odd.sort()).toEqual([
      'DocumentVersion.contentChanged',
      'DocumentVersion.titleChanged',
      'Goal.success',
      'GoalOutcome.success',
      'SubscriptionList.sendToEveryone',
    ]);
  });
});

describe('descriptions', () => {
  test('are on every type, field, argument and enum value', () => {
    const all = [
      ...types.map((type) => ({ at: type.name, description: type.description })),
      ...fields.map(({ at, field }) => ({ at, description: field.description })),
      ...inputs,
      ...values,
    ];
    expect(all.length).toBeGreaterThan(500);
    expect(namesOf(all.filter(({ description }) => !description?.trim()))).toEqual([]);
  });
});

test('every type can be reached from a query, a mutation or a subscription, or is in errors', () => {
  const reached = new Set<GraphQLNamedType>(types.filter(({ name }) => name === 'ErrorCode'));
  const open: GraphQLNamedType[] = [...roots, ...[schema.getSubscriptionType() ?? []].flat()];
  for (let type = open.pop(); type; type = open.pop()) {
    if (reached.has(type)) continue;
    reached.add(type);
    if (isInterfaceType(type) || isUnionType(type)) open.push(...schema.getPossibleTypes(type));
    if (isObjectType(type)) open.push(...type.getInterfaces());
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const { type: result, args } of Object.values(type.getFields())) {
        open.push(getNamedType(result), ...args.map((argument) => getNamedType(argument.type)));
      }
    }
    if (isInputObjectType(type)) {
      open.push(...Object.values(type.getFields()).map(({ type: field }) => getNamedType(field)));
    }
  }
  expect(types.filter((type) => !reached.has(type)).map(({ name }) => name)).toEqual([]);
});

test('every mutation takes one input of its own and answers with a payload of its own', () => {
  for (const { name, args, type } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const Name = name[0]?.toUpperCase() + name.slice(1);
    const taken = args.map((argument) => `${argument.name}: ${argument.type}`).sort();
    expect(taken).toEqual([`input: ${Name}Input!`]);
    expect(String(type)).toBe(`${Name}Payload!`);
  }
});

test('what has an id has one that is never null, and lists hold no nulls', () => {
  const id = fields.filter(({ field }) => field.name === 'id');
  expect(namesOf(id.filter(({ field }) => String(field.type) !== 'ID!'))).toEqual([]);
  const named = fields.filter(({ field }) => /Ids?$/.test(field.name));
  expect(namesOf(named.filter(({ field }) => getNamedType(field.type).name !== 'ID'))).toEqual([]);
  const lists = fields.filter(({ field: { type } }) => isListType(isNonNullType(type) ? type.ofType : type));
  expect(namesOf(lists.filter(({ field }) => !/^\[\w+!\]/.test(String(field.type))))).toEqual([]);
  // Null says of the second that only owners see it, of the others that it is all.
  const nullable = lists.filter(({ field }) => !isNonNullType(field.type));
  expect(namesOf(nullable)).toEqual(['ApiToken.scopes', 'ApiToken.surfaces', 'Query.webhooks', 'Webhook.actions']);
});

test('ErrorCode has the codes of the catalogue, each with its status and what it carries', () => {
  const described = Object.fromEntries(
    values.filter(({ at }) => at.startsWith('ErrorCode.')).map(({ name, description }) => [name, description ?? '']),
  );
  expect(Object.keys(described).sort()).toEqual([...errorCodes].sort());
  for (const code of errorCodes) {
    const { status, members, optionalMembers } = catalogue[code];
    expect(described[code]).toContain(`Status ${status}.`);
    for (const name of Object.keys({ ...members, ...optionalMembers }))
      expect(described[code]).toContain(`\`${name}\``);
  }
});

describe('connections', () => {
  const connections = types.filter(
    (type): type is GraphQLObjectType => isObjectType(type) && /Connection$/.test(type.name),
  );
  // A feed only goes forward, and counting it would read all that ever happened.
  const isFeed = ({ name }: { name: string }) => name === 'EventConnection';
  const shape = (type: GraphQLObjectType) =>
    Object.fromEntries(Object.values(type.getFields()).map(({ name, type: result }) => [name, String(result)]));

  test('are as the Relay cursor connections specification says', () => {
    expect(connections.length).toBeGreaterThan(6);
    for (const connection of connections) {
      const node = connection.name.replace(/Connection$/, '');
      expect(connection.getInterfaces().map(String)).toEqual(['Connection']);
      expect(shape(connection)).toEqual({
        edges: `[${node}Edge!]!`,
        nodes: `[${node}!]!`,
        pageInfo: 'PageInfo!',
        ...(isFeed(connection) ? { throughSequence: 'SafeInt!' } : { totalCount: 'Int!' }),
      });
      const edge = schema.getType(`${node}Edge`);
      expect(isObjectType(edge) && shape(edge)).toEqual({ cursor: 'String!', node: `${node}!` });
    }
    const pageInfo = schema.getType('PageInfo');
    expect(isObjectType(pageInfo) && shape(pageInfo)).toEqual({
      hasNextPage: 'Boolean!',
      hasPreviousPage: 'Boolean!',
      startCursor: 'String',
      endCursor: 'String',
    });
  });

  test('take first, after, last and before, wherever they are', () => {
    const connected = fields.filter(({ field }) => connections.some((type) => type === getNamedType(field.type)));
    expect(connected.length).toBeGreaterThan(10);
    for (const { at, field } of connected) {
      const args = Object.fromEntries(field.args.map(({ name, type }) => [name, String(type)]));
      const back = isFeed(getNamedType(field.type)) ? {} : { last: 'Int', before: 'String' };
      expect(args, at).toMatchObject({ first: 'Int', after: 'String', ...back });
    }
  });

  test('are the only lists that grow with the data of a whole company', () => {
    const bare = fields.filter(
      ({ field, of }) =>
        of === schema.getQueryType() && isListType(isNonNullType(field.type) ? field.type.ofType : field.type),
    );
    // A company has at most 20.
    expect(namesOf(bare)).toEqual(['Query.webhooks']);
  });
});

test.each(storedMutations.map((stored) => [stored.path, stored] as const))(
  'the stored mutation of %s fits the schema',
  (_path, stored) => {
    expect(validate(schema, prepare(schema, stored).document)).toEqual([]);
  },
);

describe('the errors that a description names', () => {
  const fieldsOf = (root: GraphQLObjectType | null | undefined) => Object.values(root?.getFields() ?? {});
  const declaredBy = ({ extensions }: GraphQLField<unknown, unknown>) => (extensions.errors ?? []) as string[];
  const ownOf = ({ description }: GraphQLField<unknown, unknown>) =>
    (/ Errors: ([A-Z_, ]+)\.$/.exec(description ?? '')?.[1] ?? '')
      .split(', ')
      .filter((code) => catalogue[code as keyof typeof catalogue]?.occurs === 'declared');
  const operations = fieldsOf(schema.getMutationType()).filter((field) => declaredBy(field).length > 0);

  test.each(operations.map((field) => [field.name, field] as const))('of %s are those it declares', (_name, field) => {
    expect(ownOf(field)).toEqual(declaredBy(field));
  });

  test('of a preview are those of its operation, without those of what a caller expects', () => {
    const previews = fieldsOf(schema.getQueryType()).filter(({ name }) => name.startsWith('preview'));
    const ofOperations = previews.map((preview) => {
      const operation = operations.find(({ name }) => preview.name === previewOf(name));
      return operation && declaredBy(operation).filter((code) => !['STATE_CHANGED', 'VERSION_CONFLICT'].includes(code));
    });
    expect(previews.length).toBe(storedMutations.length);
    expect(previews.map(ownOf)).toEqual(ofOperations);
  });
});
