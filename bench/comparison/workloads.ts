import { randomUUID } from 'node:crypto';
import type { Call } from './calls.js';
import { callersToken, counts, ids, type Sizes, smallToken, unknownToken } from './dataset.js';

/** One request of a workload, and what its answer must be. */
export interface Step {
  call: Call;
  token: string;
  idempotencyKey?: string;
  status: number;
  /** What the body must contain, in the spelling of any contender. */
  contains: RegExp;
  /** Called once the request is answered, as expected or not. */
  done(asExpected: boolean): void;
}

/** The next request; undefined when the records that it needs are used up. */
export type Next = () => Step | undefined;

interface Document {
  id: string;
  version: number;
}

const nothing = () => {};
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What clients do, on the records of the data set. It knows the version of each document, whoever restored it. */
export class Workloads {
  readonly #sizes: Sizes;
  /** Documents that were restored before, and are not being restored now. */
  readonly #restored: Document[] = [];
  #documents = 0;
  #used = { goals: 0, crowdedGoals: 0, files: 0 };
  #count = 0;

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  /** Whether one of the kinds of records that are used up may soon be. */
  get areHalfUsed(): boolean {
    const { pool } = this.#sizes;
    const { goals, crowdedGoals, files } = this.#used;
    return Math.max(goals, files) > pool / 2 || crowdedGoals > counts.crowdedGoals(pool) / 2;
  }

  /** To be called when the records are as new. */
  renew(): void {
    this.#used = { goals: 0, crowdedGoals: 0, files: 0 };
  }

  /** The requests of each workload, by its name. */
  readonly next = {
    restore: () => this.#restore(),
    'reopen, 5 recipients': () => this.#reopen(),
    'reopen, 1,000 recipients': () => this.#reopenCrowded(),
    delete: () => this.#delete(),
    'full goal': () => this.#goal(),
    'page of 50': () => this.#page(),
    '401': () => this.#unauthenticated(),
    '409': () => this.#conflict(),
    mix: () => this.#mix(),
    'restore with a key': () => this.#withKey(this.#restore()),
    'three restores at once': () => this.#restores(),
    'a goal of each company': () => this.#goalOfEach(),
  } satisfies Record<string, Next>;

  /** A document that is not being restored: each in turn. */
  #document(): Document | undefined {
    const { documents, versions } = this.#sizes;
    if (this.#documents === documents) return this.#restored.shift();
    return { id: ids.document(this.#documents++), version: versions };
  }

  #restore(): Step | undefined {
    const document = this.#document();
    if (!document) return undefined;
    const call: Call = { kind: 'restore', ...this.#restoreOf(document) };
    const done = (asExpected: boolean) => this.#release(document, asExpected);
    return step(call, new RegExp(`"current_?version"\\s*:\\s*${document.version + 1}\\b`, 'i'), done);
  }

  #restores(): Step | undefined {
    const some = [this.#document(), this.#document(), this.#document()].filter((document) => document !== undefined);
    if (some.length < 3) return undefined;
    const call: Call = { kind: 'restores', restores: some.map((document) => this.#restoreOf(document)) };
    const done = (asExpected: boolean) => {
      for (const document of some) this.#release(document, asExpected);
    };
    return step(call, new RegExp(some.map(({ version }) => `"currentVersion":${version + 1}\\b.*`).join('')), done);
  }

  /** The first or the second version, which differ from each other and from all others. */
  #restoreOf({ id, version }: Document) {
    const versionNumber = ((version - this.#sizes.versions) % 2) + 1;
    return { documentId: id, versionNumber, expectedCurrentVersion: version };
  }

  /** A document is restored again only after the others, because a lost answer may still be under way. */
  #release(document: Document, asExpected: boolean): void {
    if (!asExpected) return;
    document.version += 1;
    this.#restored.push(document);
  }

  #reopen(): Step | undefined {
    if (this.#used.goals === this.#sizes.pool) return undefined;
    const id = ids.closedGoal(this.#used.goals++);
    const subscriberIds = [1, 2, 3, 4, 5].map(ids.person);
    return step({ kind: 'reopen', id, message: 'Not done yet', subscriberIds, everyone: false }, found(id));
  }

  #reopenCrowded(): Step | undefined {
    if (this.#used.crowdedGoals === counts.crowdedGoals(this.#sizes.pool)) return undefined;
    const id = ids.crowdedGoal(this.#used.crowdedGoals++);
    return step({ kind: 'reopen', id, message: 'Not done yet', subscriberIds: [], everyone: true }, found(id));
  }

  #delete(): Step | undefined {
    if (this.#used.files === this.#sizes.pool) return undefined;
    const fileId = ids.file(this.#used.files++);
    return step({ kind: 'delete', fileId }, found(fileId));
  }

  #goal(): Step {
    const id = ids.goal(this.#count++ % counts.goals);
    return step({ kind: 'goal', id }, found(id));
  }

  /** Of the small companies, each in turn, with a token of its own. */
  #goalOfEach(): Step {
    const token = smallToken(this.#count++ % this.#sizes.companies);
    return { ...step({ kind: 'goal', id: ids.onlyGoal }, found(ids.onlyGoal)), token };
  }

  #page = (): Step => step({ kind: 'page' }, /"has_?next_?page"\s*:\s*true/i);

  #unauthenticated(): Step {
    const id = ids.goal(0);
    const call: Call = { kind: 'reopen', id, message: '', subscriberIds: [], everyone: false };
    return { ...step(call, /UNAUTHENTICATED/), token: unknownToken, status: 401 };
  }

  #conflict(): Step {
    const documentId = ids.document(this.#count++ % this.#sizes.documents);
    const call: Call = { kind: 'restore', documentId, versionNumber: 1, expectedCurrentVersion: 1 };
    return { ...step(call, /VERSION_CONFLICT/), status: 409 };
  }

  #mix(): Step | undefined {
    const share = this.#count++ % 20;
    if (share < 7) return this.#goal();
    if (share < 12) return this.#page();
    if (share < 16) return this.#restore();
    if (share < 18) return this.#reopen();
    return share === 18 ? this.#delete() : this.#conflict();
  }

  #withKey = (made: Step | undefined): Step | undefined => made && { ...made, idempotencyKey: randomUUID() };
}

export type WorkloadName = keyof Workloads['next'];

const found = (id: string) => new RegExp(`"id"\\s*:\\s*"${escaped(id)}"`);
const step = (call: Call, contains: RegExp, done: Step['done'] = nothing): Step => ({
  call,
  contains,
  done,
  token: callersToken,
  status: 200,
});

/** The workloads whose whole answers can be compared; the others are made of these. */
export const wholeWorkloads: WorkloadName[] = [
  'restore',
  'reopen, 5 recipients',
  'reopen, 1,000 recipients',
  'delete',
  'full goal',
  'page of 50',
];

/** What peers can do too: keys and several mutations in one transaction are the gateway's own. */
export const comparableWorkloads: WorkloadName[] = [...wholeWorkloads, '401', '409', 'mix'];

/** Those of the comparison; growth has one more. */
export const workloadNames: WorkloadName[] = [...comparableWorkloads, 'restore with a key', 'three restores at once'];
