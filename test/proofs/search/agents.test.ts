import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createToken } from '../../../src/tokens.js';
import { envelope, headersOf } from '../../support/agent.js';
import { goalpost } from '../../support/goalpost.js';
import { seedOf } from '../../support/seedOf.js';
import { startServer } from '../../support/server.js';
import { createWorld, type Json, restPaths } from '../../support/world.js';
import { randomOf } from './livingData/histories.js';

const runs = Number(process.env.AGENT_RUNS ?? 200);
const parallel = 12;
/** After how many runs one of the gateways is killed. */
const killEvery = Math.max(50, Math.floor(runs / 40));

const world = await createWorld();
const { company, caller, space, hub } = await world.teamWithHub('space');
const settings = {
  MCP: 'on',
  DATABASE_URL: world.url,
  RATE_LIMIT_PER_TOKEN: '1000000000',
  MAX_CONCURRENT_REQUESTS: '100',
  LOG_LEVEL: 'fatal',
};
const gateways = await Promise.all([1, 2].map(() => startServer(settings, { quiet: true })));
afterAll(() => Promise.all(gateways.map(({ stop }) => stop())));

const random = randomOf(seedOf('AGENT_SEED'));
const upTo = (most: number) => Math.floor(random() * most);
const oneOf = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;

type Kind = 'goal' | 'file' | 'document';
interface Target {
  kind: Kind;
  id: string;
}

/** Records that only the agent changes, and records that others change meanwhile. */
const own: Target[] = [];
const shared: Target[] = [];
for (const records of [own, shared]) {
  for (let count = 0; count < 25; count += 1) {
    records.push({ kind: 'goal', id: (await world.closedGoal(space)).id });
    records.push({ kind: 'file', id: (await world.file(hub, caller)).id });
    records.push({ kind: 'document', id: (await world.document(hub, caller, ['one', 'two', 'three'])).id });
  }
}

/** A record as one text, as the database says it, without the product. */
const states: Record<Kind, { table: string; row: string }> = {
  goal: {
    table: 'goals',
    row: '$.id, $.name, extract(epoch FROM $.closed_at), $.closed_by_id, $.success, extract(epoch FROM $.archived_at)',
  },
  file: {
    table: 'resource_hub_files',
    row: '$.id, $.name, $.resource_hub_id, $.parent_folder_id, $.blob_id, extract(epoch FROM $.deleted_at), $.deleted_by_id',
  },
  document: {
    table: 'resource_hub_documents',
    row: '$.id, $.name, $.content, $.resource_hub_id, $.parent_folder_id, $.current_version, extract(epoch FROM $.deleted_at)',
  },
};

// The database itself notes in which state each record was before each change, and in which transaction an activity was made.
await world.sql(`
  CREATE TABLE seen_states (transaction bigint, id text, state text);
  CREATE TABLE seen_activities (transaction bigint, id text);
  CREATE FUNCTION note_activity() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN INSERT INTO public.seen_activities VALUES (txid_current(), NEW.id); RETURN NULL; END $$;
  CREATE TRIGGER note AFTER INSERT ON activities FOR EACH ROW EXECUTE FUNCTION note_activity();
  ${Object.entries(states)
    .map(
      ([kind, { table, row }]) => `
  CREATE FUNCTION note_${kind}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN
      INSERT INTO public.seen_states VALUES (txid_current(), OLD.id,
        left(encode(sha256(convert_to(ROW(${row.replaceAll('$.', 'OLD.')})::text, 'UTF8')), 'hex'), 32));
      RETURN NEW;
    END $$;
  CREATE TRIGGER note BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION note_${kind}();`,
    )
    .join('')}`);

const newToken = (name: string, surfaces: 'mcp'[] | null = ['mcp']) =>
  createToken(world.db, { ...company, personId: caller.id, name, canWrite: true, surfaces });
const agent = await newToken('agent');
const stranger = await newToken('another agent');
const other = await newToken('a person', null);

interface Previewed {
  operation: string;
  /** What the tool of the operation takes, with the confirmation. */
  given: Json;
  state: string;
  target: Target;
  wouldChange: boolean;
}

const previewed: Previewed[] = [];
const strangersPreviewed: Previewed[] = [];
const seen = { calls: 0, lost: 0, previews: 0, done: 0, replayed: 0, refused: 0, elsewhere: 0, kills: 0 };

/** The gateway that has been killed and is not back. */
let restarting: number | undefined;

/** Sends a request to one of the gateways, seldom to one that is down; undefined if its answer is lost, as when the gateway is killed. */
async function send(
  path: string,
  token: string,
  body: unknown,
  mayLose = true,
  headers: Record<string, string> = {},
): Promise<Json | undefined> {
  const up = gateways.filter((_, index) => index !== restarting || random() < 0.1);
  const { base } = oneOf(up.length > 0 ? up : gateways);
  const aborted = new AbortController();
  const timer = mayLose && random() < 0.08 ? setTimeout(() => aborted.abort(), upTo(12)) : undefined;
  seen.calls += 1;
  try {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify(body),
      signal: aborted.signal,
    });
    return { status: response.status, body: await response.json() };
  } catch {
    seen.lost += 1;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

async function call(token: string, name: string, given: Json, mayLose = true): Promise<Json | undefined> {
  const isNew = random() < 0.5;
  const params = { name, arguments: given, ...(isNew && { _meta: envelope }) };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answer = await send('/mcp', token, body, mayLose, isNew ? headersOf('tools/call', name) : {});
  // A message that the protocol refuses would try nothing.
  expect(answer?.body?.error).toBeUndefined();
  return answer?.body?.result;
}

const operationsOn: Record<Kind, string[]> = {
  goal: ['reopen_goal'],
  file: ['delete_resource_hub_file', 'recover_resource_hub_file'],
  document: ['restore_document_version'],
};
const operations = Object.values(operationsOn).flat();

function inputOf({ kind, id }: Target): Json {
  if (kind === 'goal') return { id, message: `Run ${upTo(1000)}` };
  return kind === 'file' ? { file_id: id } : { document_id: id, version_number: 1 + upTo(3) };
}

async function preview(target: Target, token = agent.token, noted = previewed): Promise<void> {
  const operation = oneOf(operationsOn[target.kind]);
  const result = await call(token, 'preview_change', { [operation]: inputOf(target) });
  const { arguments: shown, confirmation, preview } = result?.structuredContent ?? {};
  if (!confirmation) return;
  seen.previews += 1;
  const given = { ...shown, confirmation };
  noted.push({ operation, given, state: preview.state, target, wouldChange: preview.would_change });
}

/** What an agent makes of what it was given: another message, record or version, or less than all of it. */
function altered({ given, operation }: Previewed): Json {
  const { confirmation, ...rest } = given;
  const [id] = Object.keys(rest).filter((name) => name.endsWith('id')) as [string];
  const changes: Json[] = [
    { [id]: oneOf(own).id },
    { message: 'Never previewed' },
    { version_number: 1 + upTo(3), expected_current_version: 3 + upTo(4) },
    { confirmation: confirmation.slice(0, -1 - upTo(4)) },
    { confirmation: `${confirmation.slice(0, -22)}${randomBytes(16).toString('base64url')}` },
    { confirmation: confirmation.replace(/^v1\.\w+/, `v1.${(BigInt(Date.now()) * 1000n).toString(36)}`) },
    { confirmation: confirmation.replace(/\w{32}/, oneOf(previewed).state) },
    { confirmation: oneOf(previewed).given.confirmation },
  ];
  const made = { ...given, ...oneOf(changes) };
  const isOther = Object.keys(made).some((name) => made[name] !== given[name]);
  return isOther ? made : { ...given, [id]: `${operation}-of-nothing` };
}

/** Sends what was previewed, and counts what came of it. */
async function use({ operation, given }: Pick<Previewed, 'operation' | 'given'>, token = agent.token): Promise<void> {
  const result = await call(token, operation, given);
  if (!result) return;
  if (result.isError) seen.refused += 1;
  else if (result.structuredContent.replayed) seen.replayed += 1;
  else seen.done += 1;
}

const latest = (among: number) => previewed.at(-1 - upTo(Math.min(among, previewed.length)));

const moves: [weight: number, move: (target: Target) => Promise<unknown>][] = [
  [6, (target) => preview(target)],
  [
    8,
    async () => {
      const found = latest(8);
      if (found) await use(found);
    },
  ],
  // Used before, or never, at any time since.
  [2, async () => previewed.length > 0 && use(oneOf(previewed))],
  [
    2,
    async () => {
      const found = latest(4);
      if (found) await Promise.all([1, 2, 3].map(() => use(found)));
    },
  ],
  [1, async () => previewed.length > 0 && use({ ...oneOf(previewed), operation: oneOf(operations) })],
  [
    4,
    async () => {
      const found = latest(8);
      const result = found && (await call(agent.token, found.operation, altered(found)));
      if (result) expect(result.isError).toBe(true);
    },
  ],
  [1, async () => strangersPreviewed.length > 0 && use(oneOf(strangersPreviewed))],
  [1, async () => previewed.length > 0 && use(oneOf(previewed), stranger.token)],
  [1, (target) => preview(target, stranger.token, strangersPreviewed)],
  // What needs no confirmation where there are none.
  [1, (target) => call(agent.token, oneOf(operationsOn[target.kind]), inputOf(target))],
  [
    1,
    async (target) => {
      const { status } = (await send(oneOf(Object.values(restPaths)), agent.token, inputOf(target), false)) ?? {};
      seen.elsewhere += 1;
      expect([403, 503, undefined]).toContain(status);
    },
  ],
  [
    1,
    async ({ id }) => {
      const query = `mutation { deleteResourceHubFile(input: { fileId: "${id}" }) { file { id } } reopenGoal(input: { id: "${id}" }) { goal { id } } }`;
      const { status } = (await send('/graphql', agent.token, { query }, false)) ?? {};
      seen.elsewhere += 1;
      expect([403, 503, undefined]).toContain(status);
    },
  ],
];
const weighted = moves.flatMap(([weight, move]) => Array.from({ length: weight }, () => move));

/** What others do to the shared records: a person with a token, and the main application. */
async function meddle(): Promise<void> {
  const { kind, id } = oneOf(shared);
  if (kind === 'goal') {
    await world.sql(
      oneOf([
        "UPDATE goals SET name = name || '.' WHERE id = $1",
        'UPDATE goals SET closed_at = now(), success = false WHERE id = $1 AND closed_at IS NULL',
      ]),
      [id],
    );
  } else if (kind === 'file') {
    const path = oneOf([restPaths.deleteResourceHubFile, restPaths.recoverResourceHubFile]);
    await send(path, other.token, { file_id: id }, false);
  } else {
    const body = { document_id: id, version_number: 1 + upTo(3), expected_current_version: 3 + upTo(4) };
    await send(restPaths.restoreDocumentVersion, other.token, body, false);
  }
}

async function killOne(): Promise<void> {
  if (restarting !== undefined) return;
  const index = upTo(gateways.length);
  const killed = gateways[index];
  killed?.process.kill('SIGKILL');
  restarting = index;
  await killed?.exited;
  seen.kills += 1;
  gateways[index] = await startServer(settings, { quiet: true });
  restarting = undefined;
}

/** A run: some moves about one record. */
async function run(): Promise<void> {
  const target = oneOf(random() < 0.5 ? own : shared);
  for (let count = 1 + upTo(5); count > 0; count -= 1) {
    if (random() < 0.15) await meddle();
    await oneOf(weighted)(target);
  }
}

const contentsOf = (records: Target[]) =>
  world.sql(
    `SELECT id, closed_at IS NULL AS open, success, NULL AS text FROM goals WHERE id = ANY($1)
     UNION ALL SELECT id, deleted_at IS NULL, NULL, NULL FROM resource_hub_files WHERE id = ANY($1)
     UNION ALL SELECT id, NULL, NULL, name || ' ' || content FROM resource_hub_documents WHERE id = ANY($1) ORDER BY id`,
    [records.map(({ id }) => id)],
  );

test(`an agent that guesses, repeats, forges and loses answers changes nothing that it has not seen, and nothing twice: ${runs} runs`, async () => {
  const before = await contentsOf(own);
  let begun = 0;
  const kills: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (begun < runs) {
        begun += 1;
        if (begun % killEvery === 0) kills.push(killOne());
        await run();
      }
    }),
  );
  await Promise.all(kills);
  // What was under way when its client had gone.
  await sleep(500);

  // The key of an outcome is the confirmation, and the outcome says which activity it has made.
  const outcomes = await world.sql(
    `SELECT token_id, key, operation, result::json #>> ARRAY['data', operation, 'activity', 'id'] AS activity FROM idempotency_keys`,
  );
  const byConfirmation = new Map(previewed.map((each) => [each.given.confirmation, each]));
  const activities = await world.sql(
    `SELECT a.id, a.token_id, coalesce(a.goal_id, a.file_id, a.document_id) AS subject, s.state
     FROM activities a JOIN seen_activities n ON n.id = a.id
     LEFT JOIN seen_states s ON s.transaction = n.transaction AND s.id = coalesce(a.goal_id, a.file_id, a.document_id)
     WHERE a.token_id = ANY($1)`,
    [[agent.id, stranger.id]],
  );
  const wrong: Json[] = [];
  for (const { id, token_id: token, subject, state } of activities) {
    const [made, ...others] = outcomes.filter(({ activity }) => activity === id);
    const shown = made && byConfirmation.get(made.key);
    const isSeen = shown?.state === state && shown?.target.id === subject && shown?.wouldChange;
    if (token !== agent.id || made?.token_id !== agent.id || others.length > 0 || !isSeen)
      wrong.push({ id, made, shown, state });
  }
  expect(wrong).toEqual([]);
  const [unseen] = await world.sql(
    "SELECT count(*)::int AS count FROM comments WHERE content LIKE '%Never previewed%'",
  );
  expect(unseen).toEqual({ count: 0 });
  expect(activities.length).toBeGreaterThanOrEqual(seen.done > 0 ? 1 : 0);
  // Each change that an answer told is there, each confirmation has made at most one.
  const made = outcomes.filter(({ activity }) => activity).map(({ key }) => key);
  expect(new Set(made).size).toBe(made.length);
  expect(new Set(activities.map(({ id }) => id)).size).toBe(activities.length);

  const undo = async (): Promise<Json[]> => {
    const { code, stdout } = await goalpost(['token', 'undo', agent.id, '--json'], { DATABASE_URL: world.url });
    expect(code).toBe(0);
    return JSON.parse(stdout).changes;
  };
  const changes = await undo();
  const sharedIds = new Set(shared.map(({ id }) => id));
  expect(changes.filter(({ left, subjectId }) => left !== null && !sharedIds.has(subjectId))).toEqual([]);
  expect(await contentsOf(own)).toEqual(before);
  expect((await undo()).filter(({ left }) => left === null)).toEqual([]);
  console.log(
    JSON.stringify({
      runs,
      ...seen,
      changes: activities.length,
      undone: changes.filter(({ left }) => left === null).length,
    }),
  );
}, 3_600_000);
