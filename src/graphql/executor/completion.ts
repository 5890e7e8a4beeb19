import {
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLOutputType,
  GraphQLString,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { completeList } from './completeList.js';
import { executeFields } from './executeFields.js';
import { isPromise, type ResponsePosition, type Run } from './run.js';
import type { SelectedField } from './selectedField.js';

/** Makes of what a resolver returned what the response has. Only a leaf needs no position. */
export type Complete = (run: Run, value: unknown, position: ResponsePosition | undefined) => unknown;

/** How the values of a type are completed, which is the field's or that of its items. */
export function completionOf(field: SelectedField, type: GraphQLOutputType): Complete {
  if (isNonNullType(type)) return required(field, completionOf(field, type.ofType));
  const complete = presentOf(field, type);
  return (run, value, position) => {
    if (value === null || value === undefined) return null;
    if (value instanceof Error) throw value;
    return complete(run, value, position);
  };
}

function required({ type, definition }: SelectedField, complete: Complete): Complete {
  const check = (completed: unknown) => {
    if (completed !== null) return completed;
    throw new Error(`Cannot return null for non-nullable field ${type.name}.${definition.name}.`);
  };
  return (run, value, position) => {
    const completed = complete(run, value, position);
    return isPromise(completed) ? completed.then(check) : check(completed);
  };
}

function presentOf(field: SelectedField, type: GraphQLOutputType): Complete {
  if (isLeafType(type)) return leaf(type, !isIntrospectionType(field.type));
  if (isListType(type)) return completeList(field, completionOf(field, type.ofType), isNonNullType(type.ofType));
  if (isObjectType(type)) return (run, value, position) => executeFields(run, field.beneath(type), value, position);
  return abstract(field, type as GraphQLAbstractType);
}

function leaf(type: GraphQLLeafType, isCounted: boolean): Complete {
  const isText = isCounted && type === GraphQLString;
  return ({ budget }, value) => {
    const serialized = serialize(type, value);
    const wait = isText && budget?.countText(serialized as string);
    return wait ? wait.then(() => serialized) : serialized;
  };
}

function serialize(type: GraphQLLeafType, value: unknown): unknown {
  let serialized: unknown;
  try {
    serialized = type.serialize(value);
  } catch (error) {
    // It is the server's mistake, which clients are not told about.
    throw error instanceof GraphQLError ? new Error(error.message) : error;
  }
  if (serialized === null || serialized === undefined) throw new Error(`${type.name} has made nothing of a value`);
  return serialized;
}

function abstract(field: SelectedField, type: GraphQLAbstractType): Complete {
  const { schema } = field.selections;
  return (run, value, position) => {
    const complete = (name: unknown) => {
      const found = schema.getType(String(name));
      if (isObjectType(found) && schema.isSubType(type, found)) {
        return executeFields(run, field.beneath(found), value, position);
      }
      throw new Error(`${type.name} has no type ${String(name)}`);
    };
    const name = type.resolveType?.(value, run.context, field.infoAt(run, position as ResponsePosition), type);
    return isPromise(name) ? name.then(complete) : complete(name);
  };
}
