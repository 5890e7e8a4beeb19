import { AsyncLocalStorage } from 'node:async_hooks';
import { Pool } from 'pg';
import { type Connection, sendOne } from './connections.js';
import { KeptSelection, type Method, type Statement } from './values.js';

/** Where the client sends what a request asks. Only this enters it: on Node 20, every later `await` of the process is slower. */
const connections = new AsyncLocalStorage<Connection>();

/** What Prisma's adapter takes for a pool: each statement goes to the connection of the request that asks. */
export class RequestPool extends Pool {
  override query = ((statement: Statement) => {
    const connection = connections.getStore();
    if (!connection) throw new Error('Prisma has sent a statement that no request has asked for');
    return sendOne(connection, statement);
  }) as Pool['query'];

  override connect = (): never => {
    throw new Error('what a request reads is one statement, without a transaction of its own');
  };
}

type Delegate = Record<Method, (args: object) => PromiseLike<unknown>>;

/** Executes a call by Prisma's client, on the connection of the request that asks. */
export async function readByPrisma(
  client: object,
  connection: Connection,
  { model, method, args, uniques }: { model: string; method: Method; args: Arguments; uniques: Uniques },
): Promise<unknown> {
  const delegate = Reflect.get(client, model) as Delegate;
  // Prisma merges look-ups that several requests ask for in one tick, and sends them on the connection of the first.
  const isLookUp = method.startsWith('findUnique');
  const asked = isLookUp ? (method.replace('Unique', 'First') as Method) : method;
  const given = { ...(plain(args) as Arguments), ...(isLookUp && { where: filterOf(args.where ?? {}, uniques) }) };
  if (asked.startsWith('find')) given.relationLoadStrategy ??= 'join';
  // A promise of Prisma starts when it is awaited: inside.
  return connections.run(connection, async () => await delegate[asked](given));
}

type Uniques = Record<string, string[]>;

interface Arguments {
  where?: Named;
  relationLoadStrategy?: string;
}

type Named = { [name: string]: unknown } | undefined;

/** The filter that a look-up stands for: of its unique key, the fields. */
const filterOf = (where: object, uniques: Uniques) => ({
  AND: Object.entries(where).map(([name, value]) => ((uniques[name]?.length ?? 0) > 1 ? value : { [name]: value })),
});

/** The arguments without a selection that is kept, which only the reader knows. */
function plain(part: unknown): unknown {
  if (part instanceof KeptSelection) return part.selection;
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, plain(value)]));
}
