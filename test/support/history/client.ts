import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attempt, type Change, type History, isDecided, type Mutation } from './history.js';
import { write } from './mainApplication.js';
import type { Manner, Step } from './plan.js';
import { attempt, currentVersionIn } from './sending.js';
import type { Tested } from './tested.js';
import { idsIn } from './workspace.js';

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
