import { BREAK, type DocumentNode, type ExecutionArgs, type FieldNode, getOperationAST, visit } from 'graphql';
import type { Database } from '../database/client.js';
import { perOperation } from './input/perOperation.js';
import { rootFields } from './input/rootFields.js';
import type { Step } from './route.js';
import { executeIn, inTransaction, isDecided, RolledBack } from './transaction.js';

/**
 * Runs a mutation in one transaction if it could otherwise change something and answer without data: one of several
 * fields, or one whose answer takes arguments, which may be bad. Decisions: "Several changes at once".
 */
export function useMutationTransaction(db: Database): Step {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== 'mutation') return;
      // With a key, the mutation has a transaction already.
      if (args.contextValue.request.headers.has('idempotency-key')) return;
      if (!needsTransaction(operation, args.document)) return;
      setExecuteFn((given: ExecutionArgs) => {
        const execute = executeIn(executeFn, given, args.contextValue);
        return inTransaction(db, async (tx) => {
          const result = await execute(tx);
          // An error without data is the failure of a field; a statement that failed has ended the transaction.
          if (!result.data || !isDecided(result)) throw new RolledBack(result);
          return result;
        });
      });
    },
  };
}

const needsTransaction = perOperation((operation, document) => {
  const roots = rootFields(document, operation);
  const fields = roots.filter(({ name }) => name.value !== '__typename');
  return fields.length > 1 || hasOtherArguments(document, roots);
});

/** Whether a field below the root fields has arguments. */
function hasOtherArguments(document: DocumentNode, roots: readonly FieldNode[]): boolean {
  let found = false;
  visit(document, {
    Field(node) {
      if (roots.includes(node) || !node.arguments?.length) return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
}
