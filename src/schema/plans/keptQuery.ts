import type { Actor } from '../../policies/access.js';

type Ids = Pick<Actor, 'companyId' | 'personId'>;

type Make = (caller: Ids) => unknown;

export interface KeptQuery {
  /** Makes the query with the ids of a caller. */
  make: Make;
  entries: number;
}

/** What stands for the ids of the caller in a query that is kept. Postgres has no such text. */
const placeholders: Ids = { companyId: '\0companyId', personId: '\0personId' };

/** A context that has the placeholders, and fails if anything else is read of it. Pothos may note something about it. */
export const onlyIds = (): object => strict({ actor: strict(placeholders) });

function strict<Given extends object>(object: Given): Given {
  return new Proxy(object, {
    get(target, name) {
      if (typeof name === 'string' && !Object.hasOwn(target, name))
        throw new Error(`A plan that is kept depends on ${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** Keeps a query that was planned with {@link onlyIds}. What contains no placeholder is shared by all that are made. */
export function keptQuery(query: unknown): KeptQuery {
  return { make: makerOf(query) ?? (() => query), entries: entriesIn(query) };
}

/** Undefined if the value contains no placeholder. */
function makerOf(value: unknown): Make | undefined {
  if (value === placeholders.companyId) return ({ companyId }) => companyId;
  if (value === placeholders.personId) return ({ personId }) => personId;
  if (typeof value === 'string' && value.includes('\0')) throw new Error('A placeholder is part of a text');
  if (typeof value !== 'object' || value === null) return undefined;
  const made = Object.entries(value).flatMap(([name, part]) => {
    const make = makerOf(part);
    return make ? [{ name, make }] : [];
  });
  if (made.length === 0) {
    Object.freeze(value);
    return undefined;
  }
  return (caller) => {
    const copy = Array.isArray(value) ? [...value] : { ...value };
    for (const { name, make } of made) Reflect.set(copy, name, make(caller));
    return copy;
  };
}

/** How many values, at any depth. */
export function entriesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + 1 + entriesIn(part), 0);
}
