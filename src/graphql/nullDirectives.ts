import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import type { FieldError } from '../errors/failures.js';
import { perOperation } from './perOperation.js';

/**
 * Finds the variables on which `@include` and `@skip` depend, anywhere in the operation, and which are null: a default
 * value makes that valid, and then the executor fails where it comes to the field, which may be after a change.
 */
export function nullDirectives(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): FieldError[] {
  return conditionVariables(operation, document)
    .filter((name) => Object.hasOwn(variables, name) && variables[name] === null)
    .map((name) => ({ field: `variables.${name}`, code: 'null', message: 'must not be null' }));
}

/** The variables on which `@include` and `@skip` depend, anywhere in the operation. */
export const conditionVariables = perOperation((operation, document): string[] => {
  const names = new Set<string>();
  const spread = new Set<string>();
  const reached: ASTNode[] = [operation];
  for (const node of reached) {
    visit(node, {
      Directive: ({ name, arguments: given = [] }) => {
        if (name.value !== 'include' && name.value !== 'skip') return;
        for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      },
      FragmentSpread: ({ name }) => {
        if (spread.has(name.value)) return;
        spread.add(name.value);
        reached.push(...document.definitions.filter((other) => isFragment(other, name.value)));
      },
    });
  }
  return [...names];
});

const isFragment = (node: DefinitionNode, name: string) =>
  node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name;
