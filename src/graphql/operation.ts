import { type GraphQLSchema, getOperationAST } from 'graphql';
import { perOperation } from './perOperation.js';
import { rootFields } from './rootFields.js';

/** What a request runs: the only operation of its document, or the one that it names. */
export const operationOf = getOperationAST;

/** The fields of a mutation that change something. Those with the same name in the response count once. */
export const changesIn = perOperation((operation, document) =>
  rootFields(document, operation).filter(({ name }) => name.value !== '__typename'),
);

/** The names of an operation's root fields, such as `goal,viewer`. Names that the schema does not have are left out. */
export function fieldNames(schema: GraphQLSchema, ...[operation, document]: Parameters<typeof changesIn>): string {
  const known = schema.getRootType(operation.operation)?.getFields() ?? {};
  const names = [...new Set(rootFields(document, operation).map(({ name }) => name.value))];
  const fields = names.filter((name) => Object.hasOwn(known, name)).sort();
  if (fields.length > 0) return fields.join(',');
  return names.some((name) => name.startsWith('__')) ? 'introspection' : '';
}
