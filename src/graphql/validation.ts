import { OperationTypeNode } from 'graphql';
import { failure } from '../errors/failures.js';
import { graphqlTypes, requireAcceptable, requireStream } from '../http/accept.js';
import type { DocumentCache } from './documentCache.js';
import { fieldNames, operationOf } from './operation.js';
import type { Plugin } from './plugin.js';
import { costWithin, type QueryLimits } from './queryLimits.js';

interface ValidationOptions {
  limits: QueryLimits;
  documents: DocumentCache;
}

const longestName = 100;

/** Only here it is known which of the types that the router lets pass can be sent. */
const requireType = (operation: OperationTypeNode, accept: string | null) =>
  operation === OperationTypeNode.SUBSCRIPTION ? requireStream(accept) : requireAcceptable(accept, graphqlTypes);

/** Whether a document may run: a write token for a mutation (403), the limits, and the rules of GraphQL (400). */
export function useValidation({ limits, documents }: ValidationOptions): Plugin {
  let costOf: ReturnType<typeof costWithin> | undefined;
  return {
    onValidate({ params: { schema, documentAST: document }, context, setResult }) {
      const { params, record, actor } = context;
      const operation = operationOf(document, params.operationName);
      if (!operation) return;
      if (record) {
        record.operationName = operation.name?.value.slice(0, longestName);
        record.operation = fieldNames(schema, operation, document) || record.operation;
      }
      const { scope } = schema.getRootType(operation.operation)?.extensions ?? {};
      if (scope === 'write' && !actor?.canWrite) throw failure('READ_ONLY_TOKEN');
      requireType(operation.operation, context.request.headers.get('accept'));
      costOf ??= costWithin(limits, schema);
      Object.assign(context, { cost: costOf(document, operation, params.variables ?? {}) });
      if (documents.has(document)) {
        setResult([]);
        return;
      }
      return ({ valid: isValid }) => {
        if (isValid) documents.add(document);
      };
    },
  };
}
