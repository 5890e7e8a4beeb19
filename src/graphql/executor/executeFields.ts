import { failAfter, isPromise, type Maybe, put, type ResponsePosition, type Run } from './run.js';
import type { SelectedField } from './selectedField.js';

type Values = Record<string, unknown>;

/** An object of the response, which may have any name. */
const Values = function Values() {} as unknown as new () => Values;
Values.prototype = Object.create(null);

/** The values of fields by their keys, in their order. */
export function executeFields(
  run: Run,
  fields: readonly SelectedField[],
  object: unknown,
  position: ResponsePosition | undefined,
): Maybe<Values> {
  const values = new Values();
  const pending: Promise<unknown>[] = [];
  try {
    for (const field of fields) {
      const value = field.execute(run, object, position);
      values[field.key] = value;
      if (isPromise(value)) pending.push(put(values, field.key, value));
    }
  } catch (error) {
    return failAfter(pending, error);
  }
  return pending.length === 0 ? values : Promise.all(pending).then(() => values);
}

/** The same one after the other. */
export async function executeSerially(run: Run, fields: readonly SelectedField[], object: unknown): Promise<Values> {
  const values = new Values();
  for (const field of fields) values[field.key] = await field.execute(run, object, undefined);
  return values;
}
