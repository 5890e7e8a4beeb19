import {
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import { reachingFields } from './crawl.js';
import { fields, filters, lookUps, mutations, ofOwners, paths, targets } from './policy.js';

/** What exists and has no row in the policy, and rows for what does not exist. */
const compare = (exist: string[], rows: string[]) => ({
  withoutRow: exist.filter((name) => !rows.includes(name)),
  withoutSubject: rows.filter((name) => !exist.includes(name)),
});

export const complete = { withoutRow: [], withoutSubject: [] };

const rootFields = (schema: GraphQLSchema, kind: OperationTypeNode) =>
  Object.keys(schema.getRootType(kind)?.getFields() ?? {});

export const completenessOfFields = (schema: GraphQLSchema) => {
  const names = reachingFields(schema).filter((name) => !name.startsWith('Mutation.'));
  return compare(names, [
    ...Object.keys(fields),
    ...Object.keys(lookUps).map((name) => `Query.${name}`),
    ...ofOwners.fields,
  ]);
};

export const completenessOfMutations = (schema: GraphQLSchema) =>
  compare(rootFields(schema, OperationTypeNode.MUTATION), [...Object.keys(mutations), ...ofOwners.mutations]);

/** Every argument and input field that names a record. */
export function completenessOfArguments(schema: GraphQLSchema) {
  const isId = ({ type }: { type: Parameters<typeof getNamedType>[0] }) => getNamedType(type)?.name === 'ID';
  const names = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type)) {
      return Object.values(type.getFields())
        .filter(isId)
        .map(({ name }) => `${type.name}.${name}`);
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      field.args.filter(isId).map((argument) => `${type.name}.${field.name}(${argument.name})`),
    );
  });
  return compare(names, [...Object.keys(filters), ...targets, ...ofOwners.targets]);
}

export const ruleOf = (path: string) =>
  Object.entries(paths)
    .filter(([start]) => path === start || (start.endsWith('/') && start !== '/' && path.startsWith(start)))
    .sort(([one], [other]) => other.length - one.length)[0]?.[1];

export const completenessOfPaths = (exist: string[]) => ({
  withoutRow: exist.filter((path) => !ruleOf(path)),
  withoutSubject: Object.keys(paths).filter((start) => !exist.some((path) => path.startsWith(start))),
});
