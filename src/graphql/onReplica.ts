import type { ExecutionResult } from 'graphql';
import type { Database } from '../database/query/client.js';
import { withShareOfDeadline } from '../database/query/deadline.js';
import type { Replicas } from '../database/servers/replicas/replicas.js';
import { isErrorCode } from '../errors/catalogue.js';
import type { RequestContext } from '../http/route.js';

/** What of the time that a request may wait for the database it may lose on a replica. */
const share = 1 / 3;

/**
 * Runs a query on a replica that has replayed everything up to the position at which its token was looked up, and on
 * the primary if there is none, or if it fails there. Decisions: "Replicas".
 */
export async function onReplica(
  replicas: Replicas,
  { actor, record, scope }: RequestContext,
  execute: (db?: Database) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  if (!actor?.position) return execute();
  if (record) record.server = 'primary';
  const replica = await replicas.at(actor.position);
  if (!replica) return execute();
  const result = await withShareOfDeadline(scope, share, (part) => execute(replica.db.within(part)));
  if (result.errors?.some(({ extensions }) => !isErrorCode(extensions.code))) {
    replica.suspect();
    return execute();
  }
  if (record) Object.assign(record, { server: 'replica', replica: replica.address });
  return result;
}
