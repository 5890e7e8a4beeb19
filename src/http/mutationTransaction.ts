import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Database } from '../database/client.js';
import { perOperation } from './input/perOperation.js';
import { rootFields } from './input/rootFields.js';
import type { Step } from './route.js';
import { executeIn, inTransaction, isDecided, RolledBack } from './transaction.js';

/**
 * Runs a mutation of several fields in one transaction: all of them or none. Decisions: "Several changes at once". One
 * field commits by itself: if its payload cannot be read afterwards, the whole mutation fails, as it does in REST.
 */
export function useMutationTransaction(db: Database): Step {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== 'mutation') return;
      // With a key, the mutation has a transaction already.
      if (args.contextValue.request.headers.has('idempotency-key')) return;
      if (!hasSeveralFields(operation, args.document)) {
        setExecuteFn(async (given: ExecutionArgs) => {
          const result: ExecutionResult = await executeFn(given);
          return result.errors ? { ...result, data: null } : result;
        });
        return;
      }
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

const hasSeveralFields = perOperation(
  (operation, document) => rootFields(document, operation).filter(({ name }) => name.value !== '__typename').length > 1,
);
