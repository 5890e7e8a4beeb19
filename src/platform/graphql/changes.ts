import { createHash } from 'node:crypto';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
  print,
} from 'graphql';
import { purgeRows } from '../administration/index.js';
import { badInput, failure, statusOfCode } from '../failures/index.js';
import type { RequestHead } from '../http/index.js';
import { type Database, sql, type Transaction } from '../postgres/index.js';
import { changesIn, noCost, type Once, type OperationContext, perOperation } from './operation.js';
import { tooLong } from './responseBound.js';

const limits = { timeout: 30_000 };

/** Executes the operation in a transaction instead of letting each statement commit by itself. */
type ExecuteIn = (tx: Transaction) => Promise<ExecutionResult>;

/** Thrown in a transaction to roll it back and respond with the errors of this result. */
class RolledBack extends Error {
  constructor(readonly errors: readonly GraphQLError[] = []) {
    super('rolled back');
  }
}

/** Does what takes long once for each key. */
export type Beforehand = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/** Thrown in a transaction instead. */
class Postponed extends Error {
  constructor(readonly work: () => Promise<unknown>) {
    super('to be done before the transaction');
  }
}

/** For a request: what takes long is not done in its transaction, which would hold its locks and a connection meanwhile. */
export function postponing(): (isInTransaction: boolean) => Beforehand {
  const results = new Map<string, Promise<unknown>>();
  return (isInTransaction) =>
    async <Result>(key: string, work: () => Promise<Result>) => {
      const run = () => {
        const result = results.get(key) ?? work();
        results.set(key, result);
        return result as Promise<Result>;
      };
      if (isInTransaction && !results.has(key)) throw new Postponed(run);
      return run();
    };
}

/** Runs the work of a request in one transaction, again if it needs what is to be done before. The only place that opens one. */
async function inTransaction(
  db: Database,
  work: (tx: Transaction) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await db.$transaction(work, limits);
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
    const postponed = error.errors.flatMap(({ originalError }) =>
      originalError instanceof Postponed ? originalError : [],
    );
    if (postponed.length === 0) return { data: null, errors: error.errors };
    for (const { work: first } of postponed) await first();
    return inTransaction(db, work);
  }
}

/**
 * Runs changes in one transaction, which is undone unless its result may stay: PostgreSQL accepts the COMMIT of one in which
 * a statement has failed without an error, and rolls it back.
 */
const onlyIf = (db: Database, mayStay: (result: ExecutionResult) => boolean, execute: ExecuteIn) =>
  inTransaction(db, async (tx) => {
    const result = await execute(tx);
    if (!mayStay(result)) throw new RolledBack(result.errors);
    return result;
  });

/** Whether no failure is the server's or of the request as a whole, as that of a response which is too long. */
const isDecided = ({ errors = [] }: ExecutionResult) =>
  errors.every(
    ({ path, extensions: { code } }) => path && code !== 'QUERY_TOO_COMPLEX' && (statusOfCode(code) ?? 500) < 500,
  );

/** Whether the operation itself has refused, not its input, so that it has changed nothing. */
const isRefusal = ({ data, errors = [] }: ExecutionResult) =>
  !data && errors.every(({ path, extensions: { code } }) => path?.length === 1 && code !== 'BAD_USER_INPUT');

type Field = GraphQLField<unknown, unknown>;

type Changes<Changed> = (args: Record<string, unknown>) => Changed | undefined;

/** The records that the fields of a mutation change, of those whose arguments are valid. The others change nothing. */
function changedRecords<Changed>(
  { schema, document, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode,
): Changed[] {
  const fields: Record<string, Field> = schema.getMutationType()?.getFields() ?? {};
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  if (!coerced) return [];
  return changesIn(operation, document).flatMap((node) => {
    const field = fields[node.name.value];
    const changes = field?.extensions.changes as Changes<Changed> | undefined;
    const args = field && changes && argumentsOf(field, node, coerced);
    return (args && changes?.(args)) ?? [];
  });
}

function argumentsOf(field: Field, node: FieldNode, variables: Record<string, unknown>) {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return undefined;
  }
}

const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const bare = /^[!#-+\--~]+$/;

/** Reads the key: 1 to 255 printable ASCII characters, quoted as in the IETF draft (`"…"`) or bare. Throws 400. */
function readKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? (bare.test(header) ? header : '');
  if (key.length === 0 || key.length > 255) {
    throw badKey(
      'must be one key of 1 to 255 printable ASCII characters, in double quotes if it has a space or a comma',
    );
  }
  return key;
}

/**
 * SHA-256 of the request: document and variables for GraphQL; only the surface and the input where the document is our own.
 * It is kept with the outcome, and compared by whichever version of the gateway the retry reaches: its bytes stay.
 */
function fingerprintOf(
  { document, operationName, variableValues }: ExecutionArgs,
  operation: OperationDefinitionNode,
  { isStored, surface }: OperationContext,
): Fingerprints {
  const source = isStored ? surface : [digestOf(operation, document), operationName ?? null];
  const of = (variables: unknown) => Uint8Array.from(sha256(JSON.stringify([source, sorted(variables)])));
  if (!isStored) return { fingerprint: of(variableValues) };
  // Version 2: null is as absent. Version 1, which is still compared, had it.
  return { fingerprint: of(withoutNulls(variableValues)), older: of(variableValues) };
}

const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (_name, each) => each ?? undefined);

/** What a request is known by, and what it was known by to a version of the gateway before. */
interface Fingerprints {
  fingerprint: Outcome['fingerprint'];
  older?: Outcome['fingerprint'];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** Of the document as it is printed, so that spaces and comments do not matter. */
const digestOf = perOperation((_operation, document) => sha256(print(document)).toString('base64'));

/** The JSON with the keys of every object sorted, so that their order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, entry]) => [name, sorted(entry)]);
}

const badKey = (message: string) => badInput([{ field: 'Idempotency-Key', code: 'invalid', message }]);

/** An idempotency key is scoped to one token and one operation. */
interface KeyScope {
  companyId: string;
  tokenId: string;
  operation: string;
  key: string;
}

interface Outcome {
  fingerprint: Uint8Array<ArrayBuffer>;
  result: string;
  /** For how long a retry gets it, by the clock of the database: gateways may have clocks that are wrong. */
  seconds: number;
}

interface KeptOutcome {
  result: string;
  /** Whether the request that it is the outcome of has the same fingerprint. */
  isSameRequest: boolean;
}

const lockOf = ({ companyId, tokenId, operation, key }: KeyScope) =>
  sha256(JSON.stringify([companyId, tokenId, operation, key])).readBigInt64BE();

/** Locks the key until the transaction ends. Returns false, without waiting, if another transaction has locked it. */
export async function holdKey(tx: Transaction, scope: KeyScope): Promise<boolean> {
  const lock = lockOf(scope);
  const rows = await tx.$queryRaw<{ held: boolean }[]>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS held`;
  return rows[0]?.held === true;
}

/** Does so, and waits for the other transaction, no longer than a statement may for a lock. */
async function waitForKey(tx: Transaction, scope: KeyScope): Promise<true> {
  await tx.$queryRaw`SELECT pg_advisory_xact_lock(${lockOf(scope)}::bigint)::text`;
  return true;
}

/** The outcome of the key, unless it has expired. Call it after {@link holdKey}, to see what the last holder wrote. */
async function findOutcome(
  tx: Transaction,
  { companyId, tokenId, operation, key }: KeyScope,
  { fingerprint, older = fingerprint }: Fingerprints,
): Promise<KeptOutcome | undefined> {
  const [kept] = await tx.$queryRaw<KeptOutcome[]>`
    SELECT result, fingerprint IN (${fingerprint}, ${older}) AS "isSameRequest" FROM idempotency_keys
    WHERE company_id = ${companyId} AND token_id = ${tokenId} AND operation = ${operation} AND key = ${key}
      AND expires_at > now()`;
  return kept;
}

/** Replaces the outcome of the key that has expired, if there is one. */
async function keepOutcome(
  tx: Transaction,
  { companyId, tokenId, operation, key }: KeyScope,
  { fingerprint, result, seconds }: Outcome,
): Promise<void> {
  await tx.$queryRaw`
    INSERT INTO idempotency_keys (company_id, token_id, operation, key, fingerprint, result, expires_at)
    VALUES (${companyId}, ${tokenId}, ${operation}, ${key}, ${fingerprint}, ${result},
      now() + make_interval(secs => ${seconds}))
    ON CONFLICT (company_id, token_id, operation, key)
    DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result, expires_at = excluded.expires_at`;
}

/** Deletes expired outcomes, except those that another transaction has locked. Returns their number. */
export const purgeOutcomes = (db: Database, tenants: string, batch = 1000): Promise<number> =>
  purgeRows(db, {
    tenants,
    table: 'idempotency_keys',
    key: ['token_id', 'operation', 'key'],
    time: 'expires_at',
    until: sql`now()`,
    batch,
  });

interface IdempotencyOptions {
  db: Database;
  idempotencySeconds: number;
  /** The most bytes of all long outcomes of a token; a thousand million if omitted. */
  longOutcomeBytes?: number;
  /** Whether a text of a response is a secret, which is sent and never kept. */
  isSecret: (text: string) => boolean;
}

/** From how many characters on an outcome is long: a token at its full rate for a day keeps at most 9 GB of shorter ones. */
const longOutcome = 10_000;

/** The key with which a change happens once, and for what it is good. */
interface Claim extends Fingerprints, Partial<Pick<Once, 'begin' | 'leastSeconds'>> {
  scope: KeyScope;
  field: FieldNode;
}

/**
 * Runs a mutation with a key at most once: change and outcome are one transaction, which a failure while reading the response
 * undoes too, as an outcome that cannot be stored must not exist.
 */
async function once(
  { scope, fingerprint, older, field, begin, leastSeconds = 0 }: Claim,
  { args, context, executeOn }: PendingOperation,
  { db, idempotencySeconds, longOutcomeBytes = 1_000_000_000, isSecret }: IdempotencyOptions,
): Promise<ExecutionResult> {
  return inTransaction(db, async (tx) => {
    const held = await (begin ? waitForKey : holdKey)(tx, scope);
    // Looked up even if another transaction holds the key, because that may be a retry which replays it too.
    const kept = await findOutcome(tx, scope, { fingerprint, ...(older && { older }) });
    if (kept) {
      if (!kept.isSameRequest) throw failure('IDEMPOTENCY_KEY_REUSED');
      const replayed = parseResult(kept.result, field);
      context.responseHeaders['Idempotency-Replayed'] = 'true';
      return replayed;
    }
    if (!held) throw failure('IDEMPOTENCY_KEY_IN_USE', { retryAfter: 1 });
    await begin?.(tx);
    const result = await executeOn(tx);
    const isFinal = isDecided(result) && (result.data || isRefusal(result));
    if (!isFinal) throw new RolledBack(result.errors);
    const { hasSecret } = args.schema.getMutationType()?.getFields()[field.name.value]?.extensions ?? {};
    const outcome = JSON.stringify(result, hasSecret ? without(isSecret) : undefined);
    const mostCharacters = context.isStored ? Number.POSITIVE_INFINITY : longestOutcome;
    if (outcome.length > mostCharacters) throw tooLong('characters', mostCharacters);
    if (outcome.length > longOutcome) await requireRoom(tx, scope, longOutcomeBytes - outcome.length);
    const seconds = Math.max(idempotencySeconds, leastSeconds);
    await keepOutcome(tx, scope, { fingerprint, result: outcome, seconds });
    return result;
  });
}

/** Throws RATE_LIMITED, until the first of them expires, if the token's long outcomes would take too much of the disk of all. */
async function requireRoom(tx: Transaction, { companyId, tokenId }: KeyScope, mostBytes: number): Promise<void> {
  const [found] = await tx.$queryRaw<{ bytes: number; seconds: number }[]>`
    SELECT coalesce(sum(octet_length(result)), 0)::float8 AS bytes,
      coalesce(extract(epoch FROM min(expires_at) - now()), 0)::float8 AS seconds
    FROM idempotency_keys
    WHERE company_id = ${companyId} AND token_id = ${tokenId} AND octet_length(result) > ${longOutcome}
      AND expires_at > now()`;
  if (found && found.bytes > mostBytes)
    throw failure('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(found.seconds)), limit: 'outcomes' });
}

const without = (isSecret: (text: string) => boolean) => (_name: string, value: unknown) =>
  typeof value === 'string' && isSecret(value) ? null : value;

function parseResult(text: string, field: FieldNode): ExecutionResult {
  const { data, errors }: ExecutionResult = JSON.parse(text);
  if (!errors) return { data: data ?? null };
  const revived = errors.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, {
        path: path ?? null,
        extensions,
        ...(path?.length === 1 && { nodes: field }),
      }),
  );
  return { data: data ?? null, errors: revived };
}

type Actor = OperationContext['actor'];

export interface PendingOperation {
  args: ExecutionArgs;
  node: OperationDefinitionNode;
  context: OperationContext & { request: RequestHead };
  /** Executes it in this transaction, or on this database. Each time on a new context, with which is kept what it loads. */
  executeOn: (db: Database | Transaction | undefined) => Promise<ExecutionResult>;
}

export interface ChangeOptions<Changed> extends IdempotencyOptions {
  /** Locks what several fields of a request will change, in one order for all requests. */
  lockChanges: (caller: { db: Transaction; actor: Actor }, changes: readonly Changed[]) => Promise<void>;
}

/** The most characters that are kept with a key; whoever asks for more gets 400, and nothing is changed. REST selects what it keeps itself. */
const longestOutcome = 1_000_000;

/** Whether the response to a mutation has no more of a record than REST responds with, or only a few fields of it. */
export const isShort = ({ complexity, aliases, lengthening, pages } = noCost) =>
  pages + lengthening === 0 ? complexity <= 3_000 : complexity < 10 && aliases <= 10;

/** With a key it happens once. Several changes, or one whose response may be too long, happen together or not at all. */
export async function change<Changed>(
  operation: PendingOperation,
  options: ChangeOptions<Changed>,
): Promise<ExecutionResult> {
  const { args, node, context, executeOn } = operation;
  const { request, actor, scope } = context;
  const db = options.db.within(scope, actor.companyId);
  const [field, ...others] = changesIn(node, args.document);
  const header = request.headers.get('idempotency-key');
  if ((header !== null || context.once) && field) {
    if (others.length > 0) throw badKey('needs a request with one mutation field');
    const { companyId, tokenId } = actor;
    const { key, ...asked } = context.once ?? {
      key: readKey(header ?? ''),
      ...fingerprintOf(args, node, context),
    };
    const keyScope = { companyId, tokenId, operation: field.name.value, key };
    return once({ ...asked, scope: keyScope, field }, operation, { ...options, db });
  }
  if (others.length > 0) {
    const records = changedRecords<Changed>(args, node);
    // An error without data is the failure of a field; a statement that failed has ended the transaction.
    const mayStay = (result: ExecutionResult) => Boolean(result.data) && isDecided(result);
    return onlyIf(db, mayStay, async (tx) => {
      if (records.length > 1) await options.lockChanges({ db: tx, actor }, records);
      return executeOn(tx);
    });
  }
  if (!context.isStored && !isShort(context.cost)) return onlyIf(db, ({ errors }) => !errors, executeOn);
  const result = await executeOn(undefined);
  // What cannot be read back after the change fails as a whole, as it does in REST.
  return result.errors ? { ...result, data: null } : result;
}
