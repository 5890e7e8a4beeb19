import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Plugin as YogaPlugin } from 'graphql-yoga';
import { type CallerContext, type LiveBody, snakeCase } from '../http/index.js';
import type { Transaction } from '../postgres/index.js';

/** Finds something out about an operation of a schema once, and remembers it for as long as its document is kept. */
export function perOperation<Found, Schema extends [GraphQLSchema] | []>(
  find: (operation: OperationDefinitionNode, document: DocumentNode, ...schema: Schema) => Found,
): typeof find {
  const known = new WeakMap<OperationDefinitionNode, { found: Found }>();
  return (operation, document, ...schema) => {
    const remembered = known.get(operation);
    if (remembered) return remembered.found;
    const found = find(operation, document, ...schema);
    known.set(operation, { found });
    return found;
  };
}

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments that documents define, by name. */
export const fragmentsOf = (...documents: readonly DocumentNode[]): Fragments =>
  new Map(
    documents
      .flatMap(({ definitions }) => definitions)
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  );

/** What a selection has, also in its fragments: what is in a named one once. */
export function selectionsIn(set: SelectionSetNode, fragments: Fragments): SelectionNode[] {
  const found: SelectionNode[] = [];
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      found.push(node);
      if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      if (node.kind !== Kind.FRAGMENT_SPREAD || visited.has(node.name.value)) continue;
      visited.add(node.name.value);
      const fragment = fragments.get(node.name.value);
      if (fragment) collect(fragment.selectionSet);
    }
  };
  collect(set);
  return found;
}

/** The fields of a selection, directly or in fragments. */
export const selectedFields = (set: SelectionSetNode, fragments: Fragments): FieldNode[] =>
  selectionsIn(set, fragments).filter((node) => node.kind === Kind.FIELD);

/** The root fields that an operation selects: one for each name in the response. */
function rootFields(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fields = selectedFields(selectionSet, fragmentsOf(document));
  return [...new Map(fields.map((node) => [(node.alias ?? node.name).value, node])).values()];
}

/** What a request runs: the only operation of its document, or the one that it names. */
export const operationOf = getOperationAST;

/** The fields of a mutation that change something. Those with the same name in the response count once. */
export const changesIn = perOperation((operation, document) =>
  rootFields(document, operation).filter(({ name }) => name.value !== '__typename'),
);

/** The names of an operation's root fields, such as `goal,viewer`. Names that the schema does not have are left out. */
export const fieldNames = perOperation((operation, document, schema: GraphQLSchema): string => {
  const known = schema.getRootType(operation.operation)?.getFields() ?? {};
  const names = [...new Set(rootFields(document, operation).map(({ name }) => name.value))];
  const fields = names.filter((name) => Object.hasOwn(known, name)).sort();
  if (fields.length > 0) return fields.join(',');
  return names.some((name) => name.startsWith('__')) ? 'introspection' : '';
});

/** The scope with which a token may run a mutation field: its name, such as `reopen_goal`, unless it says another. */
export const scopeOf = ({ name, extensions }: Pick<GraphQLField<unknown, unknown>, 'name' | 'extensions'>): string =>
  (extensions.scope as string | undefined) ?? snakeCase(name);

/** Those of all that a mutation selects. What the schema does not have is left out. */
export const scopesOf = perOperation((operation, document, schema: GraphQLSchema): string[] => {
  const known = schema.getMutationType()?.getFields() ?? {};
  return changesIn(operation, document).flatMap(({ name }) => {
    const field = Object.hasOwn(known, name.value) ? known[name.value] : undefined;
    return field ? [scopeOf(field)] : [];
  });
});

/** What makes a change happen once. */
export interface Once {
  key: string;
  /** What it asks for: a key is good for one. */
  fingerprint: Uint8Array<ArrayBuffer>;
  /** For how many seconds its outcome is kept at least. */
  leastSeconds: number;
  /** Called in the transaction of the change before it is made, if the key has no outcome. Throws if it is not to be made. */
  begin: (tx: Transaction) => Promise<void>;
}

/** The cost of an operation, measured before it runs. */
export interface QueryCost {
  /** About how many objects it may load: a list counts as some, a connection its page size, a field what it says. */
  complexity: number;
  /** Levels of fields. */
  depth: number;
  aliases: number;
  /** Aliases that may make the response longer than without one: of texts and objects, or longer than the field's name. */
  lengthening: number;
  /** Fields that return a page of a list. */
  pages: number;
  /** What makes the most of the complexity by itself, without the fields beneath it. */
  costliest?: CostlyField | undefined;
}

export interface CostlyField {
  /** The names or aliases of the fields from the root to it, with dots between them. */
  path: string;
  complexity: number;
  /** The sizes of the pages that it is on, whose product it costs. */
  pages: readonly number[];
}

export const noCost: QueryCost = { complexity: 0, depth: 0, aliases: 0, lengthening: 0, pages: 0 };

/** The activities of what was changed, null for a change that records none; of a transaction, not committed before its end. */
interface Changes {
  activityIds: (string | null)[];
  isCommitted: boolean;
}

/** What the plugins know about a request, and what they tell each other. */
export interface OperationContext extends CallerContext {
  /** Whether it runs a document of ours, which needs none of the limits of clients' documents. */
  isStored: boolean;
  /** Makes its change happen once, instead of the client's `Idempotency-Key`. */
  once?: Once;
  /** What its text was parsed to, which other plugins may replace. */
  parsed?: DocumentNode;
  cost?: QueryCost;
  live?: LiveBody;
  /** What its last execution has changed. */
  changes?: Changes;
}

export type Plugin = YogaPlugin<OperationContext, OperationContext>;
