import { randomUUID } from 'node:crypto';
import { Prisma } from '../generated/client/client.js';

let latest = 0;

/** A UUIDv7 like the ids that the database generates. Ids sort in the order in which they were made. */
export function newId(): string {
  latest = Math.max(latest + 1, Date.now() * 1000);
  const time = Math.floor(latest / 1000)
    .toString(16)
    .padStart(12, '0');
  const order = (latest % 1000).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${randomUUID().slice(19)}`;
}

/** The ids of all rows of a SELECT: a new one that ends in the number of the row. */
export const newIds = () => Prisma.sql`left(${newId()}, 30) || lpad(to_hex(row_number() OVER ()), 6, '0')`;
