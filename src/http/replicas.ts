import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import { withShareOfPatience } from '../database/patience.js';
import type { Replicas } from '../database/replicas/replicas.js';
import { isErrorCode } from '../errors/catalogue.js';
import { rootFields } from './input/rootFields.js';
import type { Step } from './route.js';

/** What of the time that a request may wait for the database it may lose on a replica. */
const share = 1 / 3;

/**
 * Runs a query on a replica that has replayed everything up to the position at which its token was looked up, and on
 * the primary if there is none, or if it fails there. Decisions: "Replicas".
 */
export function useReplicas(replicas: Replicas): Step {
  return {
    async onExecute({ args, executeFn, setExecuteFn }) {
      const { actor, record } = args.contextValue;
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== 'query' || !actor?.position) return;
      if (rootFields(args.document, operation).every(({ name }) => name.value.startsWith('__'))) return;
      if (record) record.server = 'primary';
      const replica = await replicas.at(actor.position);
      if (!replica) return;
      setExecuteFn(async (given: ExecutionArgs): Promise<ExecutionResult> => {
        const contextValue = { ...args.contextValue, db: replica.db };
        const result: ExecutionResult = await withShareOfPatience(share, () => executeFn({ ...given, contextValue }));
        if (!result.errors?.some(({ extensions }) => !isErrorCode(extensions.code))) {
          if (record) Object.assign(record, { server: 'replica', replica: replica.address });
          return result;
        }
        replica.suspect();
        // A new context, because what was loaded is kept with it.
        return executeFn({ ...given, contextValue: { ...args.contextValue } });
      });
    },
  };
}
