import { columnOf, type ReadTable } from './scope.js';
import { objectOf, type Shape } from './shape.js';
import { Unsupported } from './unsupported.js';

/** The order of the rows, and how many of them there may be, which the order must decide. */
export function orderOf(table: ReadTable, { orderBy = [], take }: Shape): string {
  const given = Array.isArray(orderBy) ? orderBy : [objectOf(orderBy)];
  const directions = new Map<string, string>();
  for (const term of given) {
    const [[name, direction] = [], ...others] = Object.entries(objectOf(term));
    if (name === undefined || typeof direction !== 'string' || others.length > 0) throw new Unsupported('order');
    if (!directions.has(name)) directions.set(name, direction);
  }
  const isTotal = table.model.key.every((name) => name === 'companyId' || directions.has(name));
  if (take !== undefined && !isTotal) throw new Unsupported('a cut between equals');
  const order = [...directions].map(([name, direction]) => `${columnOf(table, name)} ${direction}`);
  return [...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []), ...(take ? [`LIMIT ${take}`] : [])].join(' ');
}
