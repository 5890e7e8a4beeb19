import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isLeafType,
  isNonNullType,
} from 'graphql';
import { type Complete, completionOf } from './completion.js';
import { isPromise, type ResponsePosition, type Run } from './run.js';
import type { Selections } from './selections.js';

const noArguments = Object.freeze({});

/** A field that an operation selects of a type of objects, with what all of its executions have in common. */
export class SelectedField {
  readonly isRequired: boolean;
  readonly #complete: Complete;
  readonly #isLeaf: boolean;
  /** What of the object it shows as it is. */
  readonly #exposed: string | undefined;
  readonly #beneath = new Map<GraphQLObjectType, readonly SelectedField[]>();

  constructor(
    readonly selections: Selections,
    readonly type: GraphQLObjectType,
    readonly definition: GraphQLField<unknown, unknown>,
    readonly key: string,
    readonly nodes: readonly FieldNode[],
  ) {
    this.isRequired = isNonNullType(definition.type);
    this.#complete = completionOf(this, definition.type);
    this.#isLeaf = isLeafType(getNamedType(definition.type));
    this.#exposed = definition.extensions.pothosExposedField as string | undefined;
  }

  /** What is selected of its value, if that is of this type. */
  beneath(type: GraphQLObjectType): readonly SelectedField[] {
    const fields = this.#beneath.get(type) ?? this.selections.beneath(this.nodes, type);
    this.#beneath.set(type, fields);
    return fields;
  }

  /** Its value in the response for an object, which is at that position. */
  execute(run: Run, object: unknown, above: ResponsePosition | undefined): unknown {
    let position: ResponsePosition | undefined;
    try {
      const exposed = this.#exposed && (object as Record<string, unknown>)[this.#exposed];
      if (exposed !== undefined && this.#isLeaf) return this.#complete(run, exposed, undefined);
      const at = this.#positionIn(above);
      position = at;
      const value = this.#resolve(run, object, at);
      const completed = isPromise(value)
        ? value.then((resolved) => this.#complete(run, resolved, at))
        : this.#complete(run, value, at);
      return isPromise(completed) ? completed.then(undefined, (error) => run.fail(error, this, at)) : completed;
    } catch (error) {
      return run.fail(error, this, position ?? this.#positionIn(above));
    }
  }

  /** What resolvers may ask about the execution. */
  infoAt({ variables, rootValue }: Run, path: ResponsePosition): GraphQLResolveInfo {
    const { definition, nodes, type, selections } = this;
    return {
      fieldName: definition.name,
      fieldNodes: nodes,
      returnType: definition.type,
      parentType: type,
      path,
      schema: selections.schema,
      fragments: selections.fragments,
      rootValue,
      operation: selections.operation,
      variableValues: variables,
    };
  }

  #resolve(run: Run, object: unknown, position: ResponsePosition): unknown {
    const { args, resolve = defaultFieldResolver } = this.definition;
    const [node] = this.nodes;
    const values = args.length > 0 && node ? getArgumentValues(this.definition, node, run.variables) : noArguments;
    return resolve(object, values, run.context, this.infoAt(run, position));
  }

  #positionIn(above: ResponsePosition | undefined): ResponsePosition {
    return { prev: above, key: this.key, typename: this.type.name };
  }
}
