import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { retryConflicts } from '../../src/platform/postgres/connections.js';
import { type Attempt, type Change, type History, isDecided, type Mutation, type Written } from './history.js';
import type { Manner, Step } from './plan.js';
import { idsIn } from './workspace.js';

const paths = {
  restore: '/api/external/v1/documents/restore_document_version',
  reopen: '/api/external/v1/reopen_goal',
  delete: '/api/external/v1/delete_resource_hub_file',
  recover: '/api/external/v1/recover_resource_hub_file',
};

const fields = {
  restore: 'restoreDocumentVersion',
  reopen: 'reopenGoal',
  delete: 'deleteResourceHubFile',
  recover: 'recoverResourceHubFile',
};

const selections = {
  restore: 'document { id currentVersion } restoredVersion { id }',
  reopen: 'goal { id isClosed }',
  delete: 'file { id }',
  recover: 'file { id }',
};

const nestedSelections = {
  restore: 'document { id versions(first: 1) { nodes { id } } } restoredVersion { id }',
  reopen: 'goal { id activities(first: 1) { nodes { id } } }',
  delete: 'file { id activities(first: 1) { nodes { id } } }',
  recover: 'file { id activities(first: 1) { nodes { id } } }',
};

/** The input in REST's names. */
function inputOf(change: Change): Record<string, unknown> {
  if (change.kind === 'restore') {
    const { documentId, versionNumber, expectedCurrentVersion } = change;
    return { document_id: documentId, version_number: versionNumber, expected_current_version: expectedCurrentVersion };
  }
  if (change.kind !== 'reopen') return { file_id: change.fileId };
  const { goalId, message, subscriberIds, everyone } = change;
  return { id: goalId, message, subscriber_ids: subscriberIds, send_notifications_to_everyone: everyone };
}

const camel = (input: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), value]),
  );

function requestOf({ surface, changes, nested }: Mutation): { path: string; body: unknown } {
  const [first] = changes;
  if (surface === 'REST' && first) return { path: paths[first.kind], body: inputOf(first) };
  const names = changes.map(({ kind }) => fields[kind]);
  const variables = names.map((name, index) => `$i${index}: ${name[0]?.toUpperCase()}${name.slice(1)}Input!`);
  const selection = nested ? nestedSelections : selections;
  const roots = changes.map(
    ({ kind }, index) => `f${index}: ${names[index]}(input: $i${index}) { ${selection[kind]} }`,
  );
  return {
    path: '/graphql',
    body: {
      query: `mutation (${variables.join(', ')}) { ${roots.join(' ')} }`,
      variables: Object.fromEntries(changes.map((change, index) => [`i${index}`, camel(inputOf(change))])),
    },
  };
}

type Body = ReturnType<typeof JSON.parse>;

const patience = 60_000;

/** Sends the mutation once and takes down what came back. The signal cuts the connection. */
async function attempt(base: string, mutation: Mutation, signal?: AbortSignal): Promise<Attempt> {
  const { path, body } = requestOf(mutation);
  const entry: Attempt = {
    sent: performance.now(),
    answered: Infinity,
    status: 0,
    requestId: randomUUID(),
    text: '',
    replayed: false,
    restored: [],
  };
  mutation.attempts.push(entry);
  try {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json',
        'content-type': 'application/json',
        'x-request-id': entry.requestId,
        authorization: `Bearer ${mutation.token}`,
        ...(mutation.key && { 'idempotency-key': mutation.key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.any([AbortSignal.timeout(patience), ...(signal ? [signal] : [])]),
    });
    const text = await response.text();
    entry.status = response.status;
    entry.text = text;
    entry.replayed = response.headers.has('idempotency-replayed');
    if (response.headers.get('content-type')?.includes('json')) read(entry, mutation, JSON.parse(text));
  } catch {
    entry.status = 0;
  } finally {
    entry.answered = performance.now();
  }
  return entry;
}

/** The body with its members in order and without request ids. */
const comparable = (body: Body) =>
  JSON.stringify(Object.fromEntries(Object.entries(body).toSorted())).replace(/"request_?[iI]d":"[^"]*",?/g, '');

function read(entry: Attempt, { surface, changes }: Mutation, body: Body): void {
  entry.text = comparable(body);
  entry.code = surface === 'REST' ? body.code : body.errors?.[0]?.extensions?.code;
  if (entry.status !== 200) return;
  entry.restored = changes.map(({ kind }, index) => {
    if (kind !== 'restore') return undefined;
    const version = surface === 'REST' ? body.restored_version : body.data?.[`f${index}`]?.restoredVersion;
    return version === null ? null : version?.id;
  });
}

/** The current version that an answer tells: after a restore, or in a conflict. */
function currentVersionIn({ text, status }: Attempt): number | undefined {
  const found = /"(?:current_version|currentVersion)":(\d+)/.exec(text)?.[1];
  return found && [200, 409].includes(status) ? Number(found) : undefined;
}

const statements = {
  edit: `
    WITH document AS (
      UPDATE resource_hub_documents SET name = $2, content = $2, current_version = current_version + 1, updated_at = now()
      WHERE id = $1 RETURNING company_id, id, current_version, author_id
    ), version AS (
      INSERT INTO document_versions
        (company_id, document_id, version_number, previous_version_number, title, content, editor_id, origin)
      SELECT company_id, id, current_version, current_version - 1, $2, $2, author_id, 'edited' FROM document
    ), activity AS (
      INSERT INTO activities (company_id, action, author_id, document_id, name)
      SELECT company_id, 'resource_hub_document_edited', author_id, id, $2 FROM document
    )
    SELECT current_version AS result FROM document`,
  close: `
    WITH goal AS (
      UPDATE goals SET closed_at = now(), success = true, updated_at = now()
      WHERE id = $1 AND closed_at IS NULL RETURNING id, company_id, name
    ), activity AS (
      INSERT INTO activities (company_id, id, action, author_id, goal_id, name)
      SELECT company_id, $2, 'goal_closed', (SELECT min(p.id) FROM people p WHERE p.company_id = goal.company_id), id, name
      FROM goal
    )
    SELECT id AS result FROM goal`,
  revoke: `UPDATE api_tokens SET revoked_at = now() WHERE id = $1 AND $2 <> '' RETURNING id AS result`,
};

/** Writes as the main application does, beside the gateways, and takes it down in the history. Never throws. */
async function write(
  pool: pg.Pool,
  { written }: History,
  kind: Written['kind'],
  id: string,
): Promise<string | number | undefined> {
  const entry: Written = { kind, id, mark: randomUUID(), sent: performance.now(), answered: Infinity, done: null };
  written.push(entry);
  try {
    const { rows } = await retryConflicts(() => pool.query(statements[kind], [id, entry.mark]));
    entry.done = rows.length > 0;
    return rows[0]?.result;
  } catch {
    return undefined; // The server was killed: the history says that it is not known.
  } finally {
    entry.answered = performance.now();
  }
}

/** What the clients of a history need of the system that they test. */
interface Tested {
  pool: pg.Pool;
  gateways: readonly { readonly base: string | undefined }[];
  issueToken(personId: string): Promise<{ id: string; token: string }>;
}

/** What all clients know of the documents: an expected version comes from here. */
export type Known = Map<string, number>;

const firstVersion = 3;
const settleMilliseconds = 45_000;

const pick = <T>(items: readonly T[], index: number) => items[index % items.length] as T;

/** A person who runs the steps of a plan, one after the other. */
export class Client {
  readonly #system: Tested;
  readonly #history: History;
  readonly #known: Known;
  readonly #ids;
  readonly #personId: string;
  /** Restores it has asked for: each of them only once, so that a version tells who asked for it. */
  readonly #asked = new Set<string>();
  #token = { id: '', token: '' };
  #latest: Mutation | undefined;

  constructor(system: Tested, history: History, { number, known }: { number: number; known: Known }) {
    this.#system = system;
    this.#history = history;
    this.#known = known;
    this.#ids = idsIn(history.prefix);
    this.#personId = pick(this.#ids.clients, number);
  }

  async run(steps: Iterable<Step>): Promise<void> {
    await this.#renewToken();
    for (const step of steps) await this.#take(step);
  }

  async #take(step: Step): Promise<void> {
    const { pool } = this.#system;
    if (step.do === 'revoke') return this.#revoke(step);
    if (step.do === 'close') return void (await write(pool, this.#history, 'close', pick(this.#ids.goals, step.what)));
    if (step.do === 'edit') {
      const id = pick(this.#ids.documents, step.what);
      const version = await write(pool, this.#history, 'edit', id);
      if (typeof version === 'number') this.#learn(id, version);
      return;
    }
    const racers = step.again === 'beside' && !step.keyed && (step.do === 'reopen' || step.do === 'delete');
    if (racers) return this.#race(step);
    const changes = this.#changesOf(step);
    if (changes) await this.#send(this.#mutation(changes, step), step);
  }

  /** Prepares a change and then asks for it twice at once: at most one of them may be made. */
  async #race(step: Step): Promise<void> {
    if (step.do === 'reopen') await write(this.#system.pool, this.#history, 'close', pick(this.#ids.goals, step.what));
    else await this.#take({ ...step, do: 'recover' });
    const racers = [0, 1].map((offset) => {
      const own = { ...step, gateway: step.gateway + offset };
      return this.#send(this.#mutation(this.#changesOf(own) ?? [], own), own);
    });
    await Promise.all(racers);
  }

  #changesOf(step: Step): Change[] | undefined {
    const { what, from, stale } = step;
    const file = (kind: 'delete' | 'recover'): Change => ({ kind, fileId: pick(this.#ids.files, what) });
    if (step.do === 'reopen') return [this.#reopening(step)];
    if (step.do === 'delete' || step.do === 'recover') return [file(step.do)];
    const restore = this.#restore(what, from, stale);
    if (step.do === 'restore') return restore && [restore];
    const other = this.#restore(what + 1, from, stale);
    if (!restore || !other) return undefined;
    return [restore, this.#reopening(step), file('delete'), other];
  }

  #restore(what: number, from: number, stale: boolean): (Change & { kind: 'restore' }) | undefined {
    const documentId = pick(this.#ids.documents, what);
    const current = this.#known.get(documentId) ?? firstVersion;
    const expectedCurrentVersion = stale ? current - 1 : current;
    for (let offset = 0; offset < current; offset += 1) {
      const versionNumber = ((from + offset) % current) + 1;
      const name = `${documentId} ${versionNumber} ${expectedCurrentVersion}`;
      if (this.#asked.has(name)) continue;
      this.#asked.add(name);
      return { kind: 'restore', documentId, versionNumber, expectedCurrentVersion };
    }
    return undefined;
  }

  #reopening({ what, from, everyone }: Step): Change {
    const { goals, readers, clients, suspended, guest } = this.#ids;
    const people = [...readers, suspended, guest, ...clients.slice(0, 2)];
    const subscriberIds = people.filter((_, index) => (from >> index) & 1);
    return { kind: 'reopen', goalId: pick(goals, what), message: randomUUID(), subscriberIds, everyone };
  }

  #mutation(changes: Change[], { surface, nested, keyed }: Manner): Mutation {
    const isOne = changes.length === 1;
    const mutation: Mutation = {
      personId: this.#personId,
      tokenId: this.#token.id,
      token: this.#token.token,
      surface: isOne ? surface : 'GraphQL',
      key: isOne && keyed ? randomUUID() : undefined,
      nested,
      changes,
      attempts: [],
    };
    this.#history.mutations.push(mutation);
    this.#latest = mutation;
    return mutation;
  }

  async #send(mutation: Mutation, { again, cutAfter, gateway }: Manner): Promise<void> {
    const cut = new AbortController();
    const timer = cutAfter === null ? undefined : setTimeout(() => cut.abort(), cutAfter);
    // A retry must be safe: by its key, or by the version it expects.
    const mayRepeat = mutation.key !== undefined || mutation.changes.every(({ kind }) => kind === 'restore');
    await Promise.all([
      this.#attempt(mutation, gateway, cut.signal),
      again === 'beside' && mayRepeat && this.#attempt(mutation, gateway + 1),
    ]);
    clearTimeout(timer);
    await this.#settle(mutation, gateway);
    if (again === 'after' && mayRepeat) await this.#attempt(mutation, gateway + 1);
  }

  /** With a key, a client asks until it knows. */
  async #settle(mutation: Mutation, gateway: number): Promise<void> {
    const deadline = performance.now() + settleMilliseconds;
    const isSettled = (entry: Attempt) => isDecided(entry) || entry.status === 401;
    for (let turn = gateway; mutation.key && !mutation.attempts.some(isSettled); turn += 1) {
      if (performance.now() > deadline) return;
      await sleep(50);
      await this.#attempt(mutation, turn);
    }
  }

  async #attempt(mutation: Mutation, gateway: number, signal?: AbortSignal): Promise<void> {
    const base = await this.#base(gateway);
    const entry = await attempt(base, mutation, signal);
    const [first] = mutation.changes;
    if (first?.kind === 'restore' && mutation.changes.length === 1)
      this.#learn(first.documentId, currentVersionIn(entry) ?? 0);
    if (entry.status === 200) {
      const seen = await this.#seen(mutation.changes).catch(() => undefined);
      if (seen) entry.seen = seen;
    }
  }

  async #base(gateway: number): Promise<string> {
    const { gateways } = this.#system;
    for (;;) {
      const base = pick(gateways, gateway).base ?? pick(gateways, gateway + 1).base;
      if (base) return base;
      await sleep(50);
    }
  }

  #learn(documentId: string, version: number): void {
    this.#known.set(documentId, Math.max(version, this.#known.get(documentId) ?? firstVersion));
  }

  /** Whether the database has the changes now, where they can be recognized. */
  async #seen(changes: Change[]): Promise<boolean[]> {
    const { pool } = this.#system;
    const found = changes.map(async (change) => {
      if (change.kind === 'restore') {
        const { documentId, expectedCurrentVersion } = change;
        const sql = 'SELECT FROM document_versions WHERE document_id = $1 AND version_number = $2';
        return (await pool.query(sql, [documentId, expectedCurrentVersion + 1])).rowCount === 1;
      }
      if (change.kind !== 'reopen') return true;
      const sql = `SELECT FROM activities a JOIN comment_threads t ON t.activity_id = a.id
        WHERE a.goal_id = $1 AND t.message = $2`;
      return (await pool.query(sql, [change.goalId, change.message])).rowCount === 1;
    });
    return Promise.all(found);
  }

  /** Revokes its token while a request runs, tries it once more, and takes a new one. */
  async #revoke(step: Step): Promise<void> {
    const before = this.#latest;
    const running = this.#mutation([this.#reopening(step)], { ...step, keyed: false });
    await Promise.all([
      this.#attempt(running, step.gateway),
      write(this.#system.pool, this.#history, 'revoke', this.#token.id),
    ]);
    if (before?.tokenId === this.#token.id && before.key) await this.#attempt(before, step.gateway + 1);
    await this.#attempt(this.#mutation([this.#reopening(step)], step), step.gateway);
    await this.#renewToken();
  }

  async #renewToken(): Promise<void> {
    for (;;) {
      try {
        this.#token = await this.#system.issueToken(this.#personId);
        return;
      } catch {
        await sleep(100); // The server was killed.
      }
    }
  }
}
