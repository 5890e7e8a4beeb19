import { BREAK, execute, getOperationAST, visit } from 'graphql';
import { perOperation } from './input/perOperation.js';
import type { Step } from './route.js';

/**
 * Executes with graphql-js what has a field with the alias `then`: Yoga's executor, which is faster, takes every object
 * with such a member for a promise.
 */
export const useResponseNames = (): Step => ({
  onExecute({ args: { document, operationName }, setExecuteFn }) {
    const operation = getOperationAST(document, operationName);
    if (operation && hasThen(operation, document)) setExecuteFn(execute);
  },
});

const hasThen = perOperation((_operation, document) => {
  let found = false;
  visit(document, {
    Field({ alias }) {
      if (alias?.value !== 'then') return undefined;
      found = true;
      return BREAK;
    },
  });
  return found;
});
