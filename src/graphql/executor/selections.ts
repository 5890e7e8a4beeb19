import { getHeapStatistics } from 'node:v8';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { getFieldDef } from 'graphql/execution/execute.js';
import { conditionVariables } from '../nullDirectives.js';
import { SelectedField } from './selectedField.js';

type Fields = readonly SelectedField[];
type Values = Record<string, unknown>;

/** The part of the heap that all may fill, and about how many bytes a field needs, with what is planned for it. */
const share = 1 / 64;
const bytesPerField = 1_000;
const mostFields = Math.floor((getHeapStatistics().heap_size_limit * share) / bytesPerField);

/** What an operation selects, with these values of the variables in `@include` and `@skip`. */
export class Selections {
  readonly fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  readonly root: Fields;
  readonly #values: Values;
  readonly #count: typeof count;

  constructor(
    readonly schema: GraphQLSchema,
    { definitions }: DocumentNode,
    readonly operation: OperationDefinitionNode,
    values: Values,
    counted: typeof count,
  ) {
    this.#values = values;
    this.#count = counted;
    for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) this.fragments[node.name.value] = node;
    const type = schema.getRootType(operation.operation);
    if (!type) throw new Error(`the schema has no ${operation.operation}`);
    this.root = this.#fieldsOf(type, collectFields(schema, this.fragments, values, type, operation.selectionSet));
  }

  beneath(nodes: readonly FieldNode[], type: GraphQLObjectType): Fields {
    return this.#fieldsOf(type, collectSubfields(this.schema, this.fragments, this.#values, type, nodes));
  }

  #fieldsOf(type: GraphQLObjectType, collected: ReturnType<typeof collectFields>): Fields {
    this.#count(collected.size);
    return [...collected].flatMap(([key, nodes]) => {
      const definition = getFieldDef(this.schema, type, nodes[0] as FieldNode);
      return definition ? new SelectedField(this, type, definition, key, nodes) : [];
    });
  }
}

let known = new WeakMap<OperationDefinitionNode, Map<string, Selections>>();
let fields = 0;

/** What an operation selects, kept from its second execution on. When too much is kept, all is forgotten. */
export function selectionsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): Selections {
  const kept = known.get(operation);
  if (!kept) {
    known.set(operation, new Map());
    return new Selections(schema, document, operation, values, () => {});
  }
  // Nothing else of the variables is kept, which may be long.
  const conditions = Object.fromEntries(conditionVariables(operation, document).map((name) => [name, values[name]]));
  const key = JSON.stringify(conditions);
  const selections = kept.get(key) ?? new Selections(schema, document, operation, conditions, count);
  kept.set(key, selections);
  return selections;
}

function count(more: number): void {
  fields += more;
  if (fields <= mostFields) return;
  fields = 0;
  known = new WeakMap();
}
