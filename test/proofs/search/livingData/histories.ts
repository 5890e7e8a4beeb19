import { type File, kinds, ModelApplication, ModelGateway, type Rule } from './model.js';

/** One step of a history. Those that are impossible when they come change nothing. */
export type Action =
  | { do: 'reopen' | 'delete' | 'recover'; id: string }
  | { do: 'restore'; id: string; from: number }
  | { do: 'number' }
  | { do: 'close'; id: string; closed: string | null }
  | { do: 'rename'; kind: 'people' | 'goals' | 'folders' | 'files'; id: string; name: string }
  | { do: 'share'; id: string; access: string[] }
  /** Adds a record. People may come back; what else was removed gets a new id. */
  | { do: 'add'; kind: 'people' | 'goals' | 'files'; id: string }
  | { do: 'edit'; id: string; text: string }
  | { do: 'hide'; id: string }
  | { do: 'move'; kind: 'files' | 'documents'; id: string; folder: string | null }
  | { do: 'remove'; kind: 'people' | 'goals' | 'folders' | 'files' | 'documents'; id: string }
  /** The next file is written. */
  | { do: 'send' }
  /** A file arrives: the oldest on its way, or a later one; once more, or never. */
  | { do: 'deliver' | 'repeat' | 'lose'; index: number }
  /** Its acknowledgement arrives, or never does. */
  | { do: 'acknowledge' | 'loseAcknowledgement'; index: number }
  /** The application takes in the next event, or is killed while it does. Without order, that of another record. */
  | { do: 'take'; skips: number }
  | { do: 'takeAndDie' };

/** A history of both sides that is played step by step. */
export class ModelHistory {
  readonly gateway: ModelGateway;
  readonly application: ModelApplication;
  readonly network: File[] = [];
  readonly #acknowledgements: (() => void)[] = [];
  readonly #without: ReadonlySet<Rule>;
  readonly #written = new Map<string, Set<string>>();
  /** Files that did not know an event. */
  refused = 0;

  constructor(without: readonly Rule[] = []) {
    this.#without = new Set(without);
    this.gateway = new ModelGateway(this.#without);
    this.application = new ModelApplication(this.#without);
  }

  play(action: Action): void {
    const { gateway, application, network } = this;
    const { records } = application;
    switch (action.do) {
      case 'reopen':
        gateway.reopen(action.id);
        return;
      case 'delete':
      case 'recover':
        gateway.setDeleted(action.id, action.do === 'delete');
        return;
      case 'restore':
        gateway.restore(action.id, action.from);
        return;
      case 'number':
        gateway.number();
        return;
      case 'send': {
        const file = application.file();
        if (file) network.push(file);
        return;
      }
      case 'deliver':
      case 'repeat':
        this.#deliver(action.index % Math.max(1, network.length), action.do === 'repeat');
        return;
      case 'lose':
        network.splice(action.index % Math.max(1, network.length), 1);
        return;
      case 'acknowledge':
        this.#acknowledgements.splice(action.index % Math.max(1, this.#acknowledgements.length), 1)[0]?.();
        return;
      case 'loseAcknowledgement':
        this.#acknowledgements.splice(action.index % Math.max(1, this.#acknowledgements.length), 1);
        return;
      case 'take':
        application.take(gateway, { skips: action.skips });
        return;
      case 'takeAndDie':
        application.take(gateway, { isInterrupted: true });
        return;
      case 'edit': {
        const document = records.documents[action.id];
        if (!document) return;
        this.#written.set(action.id, (this.#written.get(action.id) ?? new Set()).add(action.text));
        const versions = [...document.versions, { text: action.text, from: null }];
        application.change('documents', action.id, { ...document, versions });
        return;
      }
      case 'add':
        this.#add(action);
        return;
      case 'remove':
        this.#remove(action);
        return;
      default:
        this.#change(action);
    }
  }

  #change(action: Extract<Action, { do: 'close' | 'rename' | 'share' | 'hide' | 'move' }>): void {
    const { application } = this;
    const { goals, files, folders, people } = application.records;
    const [goal, file] = [goals[action.id], files[action.id]];
    if (action.do === 'close' && goal) application.change('goals', action.id, { ...goal, closed: action.closed });
    if (action.do === 'share' && goal) {
      const access = action.access.filter((id) => people[id]);
      application.change('goals', action.id, { ...goal, access });
    }
    if (action.do === 'hide' && file) application.change('files', action.id, { ...file, deleted: !file.deleted });
    if (action.do === 'move') {
      const record = application.records[action.kind][action.id];
      const folder = action.folder !== null && folders[action.folder] ? action.folder : null;
      if (record) application.change(action.kind, action.id, { ...record, folder } as never);
    }
    if (action.do === 'rename') {
      const record = application.records[action.kind][action.id];
      if (record) application.change(action.kind, action.id, { ...record, name: action.name } as never);
    }
  }

  #add({ kind, id }: Extract<Action, { do: 'add' }>): void {
    const { application } = this;
    if (application.records[kind][id]) return;
    const record = {
      people: { name: id },
      goals: { name: id, closed: null, access: [] },
      files: { name: id, folder: null, deleted: false },
    }[kind];
    application.change(kind, id, record as never);
  }

  /** What lies in a folder moves to the root before the folder goes; a person's access goes with them. */
  #remove({ kind, id }: Extract<Action, { do: 'remove' }>): void {
    const { application } = this;
    const { records } = application;
    if (!records[kind][id]) return;
    if (kind === 'folders')
      for (const each of ['files', 'documents'] as const)
        for (const [inside, record] of Object.entries(records[each]))
          if (record.folder === id) application.change(each, inside, { ...record, folder: null } as never);
    if (kind === 'people')
      for (const [of, goal] of Object.entries(records.goals))
        if (goal.access.includes(id))
          application.change('goals', of, { ...goal, access: goal.access.filter((each) => each !== id) });
    application.change(kind, id, undefined);
  }

  #deliver(index: number, isRepeated: boolean): void {
    const [file] = isRepeated ? this.network.slice(index) : this.network.splice(index, 1);
    if (!file) return;
    // Without the rule, what it knows is read when it is sent, and its records were read before.
    const asOf = this.#without.has('snapshot') ? this.application.sequence : file.asOf;
    const verdict = this.gateway.import({ ...file, asOf });
    if (verdict === 'unknowing') this.refused += 1;
    if (verdict === 'taken') this.#acknowledgements.push(() => this.application.acknowledge(file));
  }

  /** Both sides rest until neither has anything left for the other. False if that never happens. */
  settle(): boolean {
    const { gateway, application } = this;
    for (let round = 0; round < 20; round += 1) {
      gateway.number();
      for (let left = gateway.events.length; left > 0; left -= 1) application.take(gateway);
      this.play({ do: 'send' });
      while (this.network.length > 0) this.#deliver(0, false);
      while (this.#acknowledgements.length > 0) this.play({ do: 'acknowledge', index: 0 });
      if (application.changes.size === 0) return true;
    }
    return false;
  }

  /** What is wrong at the end: a difference, or a version that somebody wrote and nobody has any more. */
  problems(): string[] {
    const problems = this.settle() ? [] : ['the application has something to send for ever'];
    for (const kind of kinds) {
      const [here, there] = [this.gateway.records[kind], this.application.records[kind]];
      for (const id of new Set([...Object.keys(here), ...Object.keys(there)]))
        if (stable(here[id]) !== stable(there[id]))
          problems.push(`${kind}/${id}: the gateway has ${stable(here[id])}, the application ${stable(there[id])}`);
    }
    const restores = this.gateway.events.filter(({ type }) => type === 'restored');
    for (const [id, { versions }] of Object.entries(this.application.records.documents)) {
      const texts = versions.map(({ text }) => text);
      for (const text of this.#written.get(id) ?? [])
        if (!texts.includes(text)) problems.push(`documents/${id}: the version "${text}" is lost`);
      for (const { version, number } of restores.filter((event) => event.id === id))
        if (stable(versions[(number ?? 0) - 1]) !== stable(version))
          problems.push(`documents/${id}: the restore ${stable(version)} is not version ${number}`);
    }
    return problems;
  }
}

/** A record as JSON, whatever the order of its fields. */
const stable = (value: unknown): string =>
  value === undefined
    ? 'nothing'
    : JSON.stringify(value, (_key, each) =>
        each && typeof each === 'object' && !Array.isArray(each)
          ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
          : each,
      );

/** What a history without the rules says at the end. */
export function problemsOf(actions: readonly Action[], without: readonly Rule[] = []): string[] {
  const history = new ModelHistory(without);
  for (const action of actions) history.play(action);
  return history.problems();
}

/** A small, fast generator, so that a seed is a history. */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A random history of so many steps. */
export function randomActions(seed: number, steps: number): Action[] {
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const goal = () => pick(['g1', 'g2', 'g3']);
  const file = () => pick(['f1', 'f2', 'f3']);
  let count = 0;
  const fresh = (letter: string) => {
    count += 1;
    return `${letter}${count}`;
  };
  const draws: (() => Action)[] = [
    () => ({ do: 'reopen', id: goal() }),
    () => ({ do: pick(['delete', 'recover']), id: file() }),
    () => ({ do: 'restore', id: 'k1', from: 1 + Math.floor(random() * 3) }),
    () => ({ do: 'number' }),
    () => ({ do: 'close', id: goal(), closed: pick(['2026-02-01', '2026-03-01', null]) }),
    () => {
      const kind = pick(['people', 'goals', 'folders', 'files'] as const);
      const id = pick({ people: ['p1', 'p2'], goals: ['g1', 'g2'], folders: ['d1', 'd2'], files: ['f1', 'f2'] }[kind]);
      return { do: 'rename', kind, id, name: fresh('n') };
    },
    () => ({ do: 'share', id: goal(), access: pick([[], ['p1'], ['p2'], ['p1', 'p2']]) }),
    () =>
      pick([
        { do: 'add', kind: 'people', id: 'p2' },
        { do: 'add', kind: 'goals', id: 'g3' },
        { do: 'add', kind: 'files', id: 'f3' },
      ]),
    () => ({ do: 'edit', id: 'k1', text: fresh('e') }),
    () => ({ do: 'hide', id: file() }),
    () => {
      const kind = pick(['files', 'documents'] as const);
      return { do: 'move', kind, id: kind === 'files' ? file() : 'k1', folder: pick(['d1', 'd2', null]) };
    },
    () => {
      if (random() > 0.05) return { do: 'send' };
      const kind = pick(['people', 'goals', 'folders', 'files', 'documents'] as const);
      return {
        do: 'remove',
        kind,
        id: { people: 'p2', goals: 'g2', folders: 'd1', files: 'f1', documents: 'k1' }[kind],
      };
    },
    () => ({ do: 'send' }),
    () => ({ do: 'deliver', index: pick([0, 0, 1]) }),
    () => ({ do: pick(['deliver', 'deliver', 'repeat', 'lose']), index: pick([0, 1]) }),
    () => ({ do: 'acknowledge', index: pick([0, 0, 1]) }),
    () => ({ do: pick(['acknowledge', 'acknowledge', 'loseAcknowledgement']), index: pick([0, 1]) }),
    () => ({ do: 'take', skips: pick([0, 1]) }),
    () => (random() < 0.5 ? { do: 'takeAndDie' } : { do: 'take', skips: 0 }),
  ];
  return Array.from({ length: steps }, () => pick(draws)());
}

/** Every order in which the steps of several sides can happen, each side in its own order. */
export function* interleavings(sides: readonly (readonly Action[])[]): Generator<Action[]> {
  if (sides.every((side) => side.length === 0)) yield [];
  for (const [index, [first, ...rest]] of sides.entries())
    if (first) for (const others of interleavings(sides.with(index, rest))) yield [first, ...others];
}

/** A history that fails too, of which no step can be left out. */
export function shortened(actions: readonly Action[], fails: (actions: readonly Action[]) => boolean): Action[] {
  let shortest = [...actions];
  for (let index = 0; index < shortest.length; ) {
    const fewer = shortest.toSpliced(index, 1);
    if (fails(fewer)) {
      shortest = fewer;
      index = 0;
    } else index += 1;
  }
  return shortest;
}
