import type { GraphQLSchema } from 'graphql';
import { mutation, type Surface, snakeKeys } from '../surfaces.js';
import { type Json, restPaths, type World } from '../world.js';
import type { Caller } from './callers.js';
import { everything } from './crawl.js';
import type { Ladder } from './ladder.js';
import { expected, type Matrix } from './matrix.js';
import { mutations, type Need } from './policy.js';
import type { Target } from './records.js';

/** One mutation by one caller of one record, on one surface. */
export interface Write {
  operation: keyof typeof restPaths;
  surface: Surface;
  caller: Caller;
  target: Target;
  need: Need;
  /** OK, or the code of the failure. */
  wanted: string;
}

export const writesOf = (ladder: Ladder, callers: Caller[], targets: Target[]): Write[] =>
  Object.entries(mutations).flatMap(([name, need]) => {
    const operation = name as keyof typeof restPaths;
    const concerned = targets.filter(({ kind }) => kind === need.kind);
    return concerned.flatMap((target) =>
      callers.flatMap((caller) => {
        const readOnly = caller.person && !caller.canWrite ? 'READ_ONLY_TOKEN' : undefined;
        const wanted = readOnly ?? expected(ladder, caller, need, target);
        return (['REST', 'GraphQL'] as const).map((surface) => ({ operation, surface, caller, target, need, wanted }));
      }),
    );
  });

/** Runs a mutation, for everything that its payload shows. */
export async function write(schema: GraphQLSchema, matrix: Matrix, one: Write, given = one.need.ask(one.target.id)) {
  const { operation, surface, caller } = one;
  matrix.cells += 1;
  if (surface === 'REST') {
    const sent = Object.values(given).map(String);
    const { status, body } = await matrix.ask(caller, 'POST', restPaths[operation], { body: snakeKeys(given), sent });
    return { status, code: status === 200 ? 'OK' : body.code, failure: body, data: null };
  }
  const payload = schema.getType(`${operation[0]?.toUpperCase()}${operation.slice(1)}Payload`);
  if (!payload || !('getInterfaces' in payload)) throw new Error(`${operation} has no payload`);
  const query = mutation(operation, everything(schema, payload, 2));
  const { status, body } = await matrix.graphql(caller, query, { input: given });
  const { path, locations, ...failure } = body.errors?.[0] ?? {};
  return { status, code: failure.extensions?.code ?? 'OK', failure, data: body.data };
}

/** Puts the records that mutations change back as they were, for the next caller. */
export async function putBack(world: World, { kind, id, state }: Target): Promise<void> {
  if (kind === 'goals' && state !== 'open' && state !== 'reopened') {
    await world.sql('UPDATE goals SET closed_at = now(), success = true WHERE id = $1', [id]);
  }
  if (kind === 'files') {
    await world.sql('UPDATE resource_hub_files SET deleted_at = $2, deleted_by_id = NULL WHERE id = $1', [
      id,
      state === 'deleted' ? new Date() : null,
    ]);
  }
}

/** The number that a document's current version has by now. */
export async function currentVersion(world: World, { id }: Target): Promise<Json> {
  const [row] = await world.sql('SELECT current_version AS number FROM resource_hub_documents WHERE id = $1', [id]);
  return row?.number ?? 1;
}
