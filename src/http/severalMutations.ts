import { type ExecutionArgs, getOperationAST } from 'graphql';
import type { Database } from '../database/client.js';
import { rootFields } from './input/rootFields.js';
import type { Step } from './route.js';
import { executeIn, inTransaction, isFinal, RolledBack } from './transaction.js';

/** Runs several mutation fields of a request in one transaction: all or none. Decisions: "Several changes at once". */
export function useSeveralMutations(db: Database): Step {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== 'mutation') return;
      const fields = rootFields(args.document, operation).filter(({ name }) => name.value !== '__typename');
      if (fields.length < 2) return;
      setExecuteFn((given: ExecutionArgs) => {
        const execute = executeIn(executeFn, given, args.contextValue);
        return inTransaction(db, async (tx) => {
          const result = await execute(tx);
          // An error without data is the failure of a field; a statement that failed has ended the transaction.
          if (!result.data || !isFinal(result)) throw new RolledBack(result);
          return result;
        });
      });
    },
  };
}
