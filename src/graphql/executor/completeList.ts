import { isIntrospectionType } from 'graphql';
import type { Complete } from './completion.js';
import { namesBeneath } from './namesBeneath.js';
import { failAfter, isPromise, type Maybe, put, type ResponsePosition, type Run } from './run.js';
import type { SelectedField } from './selectedField.js';

/** How lists are completed whose items are completed so. */
export function completeList(field: SelectedField, completeItem: Complete, isRequired: boolean): Complete {
  const { nodes, type, definition, selections } = field;
  const isCounted = !isIntrospectionType(type);
  const names = namesBeneath({ fieldNodes: nodes, fragments: selections.fragments });

  const completeAt = (run: Run, item: unknown, position: ResponsePosition): unknown => {
    try {
      const completed = isPromise(item)
        ? item.then((resolved) => completeItem(run, resolved, position))
        : completeItem(run, item, position);
      if (!isPromise(completed)) return completed;
      return completed.then(undefined, (error) => run.fail(error, { nodes, isRequired }, position));
    } catch (error) {
      return run.fail(error, { nodes, isRequired }, position);
    }
  };

  const completeRest = (
    run: Run,
    items: unknown[],
    above: ResponsePosition | undefined,
    done: unknown[],
  ): Maybe<unknown[]> => {
    const pending: Promise<unknown>[] = [];
    try {
      for (let index = done.length; index < items.length; index += 1) {
        const turn = run.waitForTurn();
        if (turn) {
          pending.push(turn.then(() => completeRest(run, items, above, done)));
          break;
        }
        const completed = completeAt(run, items[index], { prev: above, key: index, typename: undefined });
        done[index] = completed;
        if (isPromise(completed)) pending.push(put(done, index, completed));
      }
    } catch (error) {
      return failAfter([...pending, ...items.filter(isPromise)], error);
    }
    return pending.length === 0 ? done : Promise.all(pending).then(() => done);
  };

  return (run, value, position) => {
    if (!Array.isArray(value)) throw new Error(`${type.name}.${definition.name} has no list`);
    const wait = isCounted && run.budget?.countItems(value.length, names);
    return wait ? wait.then(() => completeRest(run, value, position, [])) : completeRest(run, value, position, []);
  };
}
