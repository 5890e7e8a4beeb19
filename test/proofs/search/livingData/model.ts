/**
 * Living data with two databases, without a database: a gateway that operations change, an application that its people
 * change, the files that go one way and the events that come back. Each rule of the protocol can be left out, to see
 * what it is for. docs/integrating.md explains the protocol.
 */

/** What the protocol needs. Without any of them, some histories end with two sides that differ, or with a lost version. */
export const rules = {
  asOf: 'a file that does not know an event of a record that it names is refused as a whole',
  unnumbered: 'an event without a number is known to no file',
  revision: 'a file that is older than the last one is refused',
  untilAcknowledged: 'a change is sent again until a file with it was acknowledged',
  changeNumbers: 'an acknowledgement settles the number of a change, not its value',
  snapshot: 'the records of a file and its as_of are of one moment',
  transaction: 'an event is taken in by the transaction that notes its sequence',
  inOrder: 'events are taken in in the order of their sequences',
  movedBehind: 'an own version with the number of a restored one moves behind it',
} as const;

export type Rule = keyof typeof rules;

interface Version {
  text: string;
  /** The number of the version that it restores; null for one that somebody has written. */
  from: number | null;
}

export interface Records {
  people: Record<string, { name: string }>;
  goals: Record<string, { name: string; closed: string | null; access: string[] }>;
  folders: Record<string, { name: string }>;
  files: Record<string, { name: string; folder: string | null; deleted: boolean }>;
  /** The name and the content of a document are those of its last version. */
  documents: Record<string, { folder: string | null; versions: Version[] }>;
}

export type Kind = keyof Records;
export const kinds = ['people', 'goals', 'folders', 'files', 'documents'] as const satisfies readonly Kind[];

/** What an operation of the gateway has done. */
export interface Event {
  kind: Kind;
  id: string;
  type: 'reopened' | 'deleted' | 'recovered' | 'restored';
  /** Of a restore: the version, and its number. */
  version?: Version;
  number?: number;
  sequence: number | null;
}

type RecordId = `${Kind}/${string}`;

export interface File {
  revision: number;
  asOf: number;
  records: Records;
  removed: RecordId[];
  /** The number of each change that is in it: what an acknowledgement settles. */
  changes: Map<RecordId, number>;
}

/** What became of a file: it is refused if it is not newer than the last one, or does not know an event. */
export type Verdict = 'taken' | 'old' | 'unknowing';

const copy = <Value>(value: Value): Value => structuredClone(value);
const equal = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const recordOf = (records: Records, of: RecordId): Records[Kind][string] | undefined => {
  const [kind, id] = of.split('/') as [Kind, string];
  return records[kind][id];
};

const none = (): Records => ({ people: {}, goals: {}, folders: {}, files: {}, documents: {} });

/** What both sides begin with. */
const firstRecords = (): Records => ({
  people: { p1: { name: 'p1' }, p2: { name: 'p2' } },
  goals: {
    g1: { name: 'g1', closed: '2026-01-01', access: ['p1'] },
    g2: { name: 'g2', closed: null, access: [] },
  },
  folders: { d1: { name: 'd1' }, d2: { name: 'd2' } },
  files: { f1: { name: 'f1', folder: 'd1', deleted: false }, f2: { name: 'f2', folder: null, deleted: true } },
  documents: { k1: { folder: 'd1', versions: [{ text: 'one', from: null }] } },
});

export class ModelGateway {
  readonly records = firstRecords();
  readonly events: Event[] = [];
  #lastRevision = 0;

  constructor(readonly without: ReadonlySet<Rule> = new Set()) {}

  get #lastSequence(): number {
    return Math.max(0, ...this.events.map(({ sequence }) => sequence ?? 0));
  }

  /** Each operation says whether it has changed anything. */
  reopen(id: string): boolean {
    const goal = this.records.goals[id];
    if (!goal?.closed) return false;
    goal.closed = null;
    return this.#happened({ kind: 'goals', id, type: 'reopened' });
  }

  setDeleted(id: string, deleted: boolean): boolean {
    const file = this.records.files[id];
    if (!file || file.deleted === deleted) return false;
    file.deleted = deleted;
    return this.#happened({ kind: 'files', id, type: deleted ? 'deleted' : 'recovered' });
  }

  restore(id: string, from: number): boolean {
    const document = this.records.documents[id];
    const restored = document?.versions[from - 1];
    // To restore what is current already changes nothing.
    if (!document || !restored || document.versions.at(-1)?.text === restored.text) return false;
    const version = { text: restored.text, from };
    document.versions.push(version);
    return this.#happened({ kind: 'documents', id, type: 'restored', version, number: document.versions.length });
  }

  #happened(event: Omit<Event, 'sequence'>): true {
    this.events.push({ ...event, sequence: null });
    return true;
  }

  /** Gives the events of committed changes their sequences. */
  number(): void {
    let next = this.#lastSequence;
    for (const event of this.events)
      if (event.sequence === null) {
        next += 1;
        event.sequence = next;
      }
  }

  /** The events after a sequence. Those of what was removed are hidden. */
  feed(after: number): Event[] {
    return this.events.filter(
      ({ sequence, kind, id }) => sequence !== null && sequence > after && this.records[kind][id] !== undefined,
    );
  }

  /** Takes a file, as `goalpost import --update` does: all of it or nothing. */
  import(file: File): Verdict {
    if (!this.without.has('revision') && file.revision <= this.#lastRevision) return 'old';
    const named = kinds.flatMap((kind) => Object.keys(file.records[kind]).map((id): RecordId => `${kind}/${id}`));
    if (!this.without.has('asOf') && [...named, ...file.removed].some((of) => this.#hasLater(of, file.asOf)))
      return 'unknowing';
    this.#lastRevision = file.revision;
    for (const of of file.removed) {
      const [kind, id] = of.split('/') as [Kind, string];
      delete this.records[kind][id];
    }
    for (const kind of kinds) Object.assign(this.records[kind], copy(file.records[kind]));
    return 'taken';
  }

  #hasLater(of: RecordId, asOf: number): boolean {
    return this.events.some(
      ({ kind, id, sequence }) =>
        `${kind}/${id}` === of && (sequence === null ? !this.without.has('unnumbered') : sequence > asOf),
    );
  }
}

export class ModelApplication {
  readonly records = firstRecords();
  /** Up to which sequence it has taken in every event. */
  sequence = 0;
  /** What no acknowledged file has, by the number of its last change. */
  readonly changes = new Map<RecordId, number>();
  #revision = 0;
  #lastChange = 0;
  readonly #taken = new Set<number>();

  constructor(readonly without: ReadonlySet<Rule> = new Set()) {}

  /** Changes a record, or adds it; undefined removes it. */
  change<K extends Kind>(kind: K, id: string, record: Records[K][string] | undefined): void {
    if (record === undefined) delete this.records[kind][id];
    else this.records[kind][id] = record;
    this.#note(`${kind}/${id}`);
  }

  #note(of: RecordId): void {
    this.#lastChange += 1;
    this.changes.set(of, this.#lastChange);
  }

  /** A file with all that no acknowledged one has; undefined if there is nothing. */
  file(): File | undefined {
    if (this.changes.size === 0) return undefined;
    this.#revision += 1;
    const file: File = {
      revision: this.#revision,
      asOf: this.sequence,
      records: none(),
      removed: [],
      changes: new Map(this.changes),
    };
    for (const of of this.changes.keys()) {
      const [kind, id] = of.split('/') as [Kind, string];
      const record = recordOf(this.records, of);
      if (record) (file.records[kind] as Record<string, unknown>)[id] = copy(record);
      else file.removed.push(of);
    }
    if (this.without.has('untilAcknowledged')) this.changes.clear();
    return file;
  }

  /** The gateway has taken a file: its changes are settled. */
  acknowledge(file: File): void {
    for (const [of, number] of file.changes) {
      const isSettled = this.without.has('changeNumbers')
        ? equal(recordOf(this.records, of), recordOf(file.records, of))
        : this.changes.get(of) === number;
      if (isSettled) this.changes.delete(of);
    }
  }

  /** Takes in the next event of the feed. `isInterrupted`: the process is killed before it has. */
  take(gateway: ModelGateway, { isInterrupted = false, skips = 0 } = {}): void {
    const next = this.#next(gateway, skips);
    if (!next) return;
    if (isInterrupted && !this.without.has('transaction')) return;
    this.#taken.add(next.sequence as number);
    this.sequence = Math.max(this.sequence, next.sequence as number);
    if (!isInterrupted) this.#apply(next);
  }

  /** The next event. If they come by webhooks, that of another record may come first. */
  #next(gateway: ModelGateway, skips: number): Event | undefined {
    if (!this.without.has('inOrder')) return gateway.feed(this.sequence)[0];
    const open = gateway.feed(0).filter(({ sequence }) => !this.#taken.has(sequence as number));
    const heads = open.filter(({ kind, id }, index) => open.findIndex((e) => e.kind === kind && e.id === id) === index);
    return heads[Math.min(skips, heads.length - 1)];
  }

  #apply({ kind, id, type, version, number = 0 }: Event): void {
    const { goals, files, documents } = this.records;
    const [goal, file, document] = [goals[id], files[id], documents[id]];
    if (kind === 'goals' && goal) goal.closed = null;
    if (kind === 'files' && file) file.deleted = type === 'deleted';
    if (kind !== 'documents' || !document || !version) return;
    const isOwnThere = document.versions.length >= number;
    document.versions.splice(number - 1, this.without.has('movedBehind') ? 1 : 0, copy(version));
    if (isOwnThere) this.#note(`documents/${id}`);
  }
}
