import type { Context } from '../context.js';

/**
 * What the resolvers of one operation share, made when the first of them asks. It stands on the context: the values of a
 * WeakMap, which Pothos' `createContextCache` is, outlive their keys by a collection of garbage.
 */
export function sharedInOperation<Value>(create: (context: Context) => Value): (context: Context) => Value {
  return (context) => {
    const known = context.shared.get(create);
    if (known) return known as Value;
    const value = create(context);
    context.shared.set(create, value);
    return value;
  };
}
