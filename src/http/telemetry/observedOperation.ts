import { type DocumentNode, type ExecutionArgs, type GraphQLSchema, getOperationAST } from 'graphql';
import { rootFields } from '../input/rootFields.js';
import type { Step } from '../route.js';
import { inOperationSpan } from './spans.js';

const longestName = 100;

/** Notes which fields of the schema a GraphQL request asks for, also if it is refused later. */
export const useOperationName = (): Step => ({
  onValidate({ params: { schema, documentAST }, context: { record, params } }) {
    if (!record) return;
    const name = params?.operationName;
    record.operationName = getOperationAST(documentAST, name)?.name?.value.slice(0, longestName);
    record.operation = fieldsOf(schema, documentAST, name) || record.operation;
  },
});

/** Gives the execution of an operation a span of its own. The last step, so that it includes what the others add. */
export const useOperationSpan = (): Step => ({
  onExecute({ args, executeFn, setExecuteFn }) {
    const { schema, document, operationName } = args;
    if (!args.contextValue.record?.span) return;
    const type = getOperationAST(document, operationName)?.operation ?? 'query';
    const fields = fieldsOf(schema, document, operationName);
    setExecuteFn((given: ExecutionArgs) => inOperationSpan(type, fields, () => executeFn(given)));
  },
});

/** The root fields that an operation selects, such as `goal,viewer`. Names that the schema does not have are left out. */
function fieldsOf(schema: GraphQLSchema, document: DocumentNode, operationName?: string | null): string {
  const operation = getOperationAST(document, operationName);
  const known = operation && schema.getRootType(operation.operation)?.getFields();
  if (!known) return '';
  const names = [...new Set(rootFields(document, operation).map(({ name }) => name.value))];
  const fields = names.filter((name) => Object.hasOwn(known, name)).sort();
  if (fields.length > 0) return fields.join(',');
  return names.some((name) => name.startsWith('__')) ? 'introspection' : '';
}
