import type pg from 'pg';
import { answersOf, describe } from './answers.js';
import { type Audience, type Change, type History, isDecided, isOpen, type Mutation } from './history.js';
import { type Activity, readSnapshot, type Snapshot, type Version } from './snapshot.js';

/** Each recipient is notified once and nobody else is; a reopening subscribes its author and those it names. */
function audienceProblems({ mutations, audience }: History, { activities }: Snapshot): string[] {
  const reopenings = new Map<string, Change & { kind: 'reopen' }>();
  for (const { changes } of mutations)
    for (const change of changes) if (change.kind === 'reopen') reopenings.set(change.message, change);
  return activities.flatMap((activity) => {
    const say = (what: string) =>
      `${activity.action} ${activity.goal_id ?? activity.file_id} of ${activity.author_id}: ${what}`;
    if (activity.action !== 'goal_reopened') {
      const subscribers = activity.action === 'resource_hub_file_deleted' ? audience.fileSubscribers : [];
      return differs(activity.notified, recipients(activity, subscribers, audience)).map(say);
    }
    const change = reopenings.get(activity.message ?? '');
    if (!change) return [say('nobody asked for it')];
    const subscribed = [...new Set([activity.author_id, ...change.subscriberIds])];
    const told = change.everyone ? [...audience.members, ...subscribed] : subscribed;
    return [
      ...differs(activity.notified, recipients(activity, told, audience)),
      ...differs(activity.subscribed, subscribed).map((what) => `subscriptions: ${what}`),
      ...(activity.everyone === change.everyone ? [] : ['the flag for everyone is wrong']),
    ].map(say);
  });
}

const recipients = ({ author_id }: Activity, people: string[], { excluded }: Audience) => [
  ...new Set(people.filter((id) => id !== author_id && !excluded.includes(id))),
];

function differs(found: string[], expected: string[]): string[] {
  const [left, right] = [found, expected].map((ids) => ids.toSorted().join(', '));
  return left === right ? [] : [`notified [${left}], expected [${right}]`];
}

/** What the database has of each change, and what it has that nobody asked for. */
function effectsOf(history: History, snapshot: Snapshot): string[] {
  const index = new Effects(snapshot);
  const problems = history.mutations.flatMap((mutation) => [
    ...mutationProblems(mutation, index),
    ...(mutation.key ? keyProblems(mutation, index, snapshot) : []),
    ...idleReopenings(mutation, history, index),
  ]);
  return [
    ...problems,
    ...unclaimedVersions(history, index),
    ...fileProblems(history, snapshot),
    ...writtenProblems(history, snapshot),
    ...audienceProblems(history, snapshot),
  ];
}

class Effects {
  readonly #versions = new Map<string, Version>();
  readonly #reopenings = new Map<string, Activity[]>();

  constructor(readonly snapshot: Snapshot) {
    for (const version of snapshot.versions)
      this.#versions.set(`${version.document_id} ${version.version_number}`, version);
    for (const activity of snapshot.activities) {
      if (activity.action !== 'goal_reopened' || activity.message === null) continue;
      this.#reopenings.set(activity.message, [...(this.#reopenings.get(activity.message) ?? []), activity]);
    }
  }

  version = (documentId: string, number: number) => this.#versions.get(`${documentId} ${number}`);

  reopenings = (message: string) => this.#reopenings.get(message) ?? [];

  /** The version that a restore made. */
  restored(change: Change & { kind: 'restore' }, personId: string): Version | undefined {
    const row = this.version(change.documentId, change.expectedCurrentVersion + 1);
    const isOurs = row?.origin === 'restored' && row.editor_id === personId && row.source === change.versionNumber;
    return isOurs ? row : undefined;
  }

  /** Whether a restore with the expected version would change nothing. Versions never change, so this can be said later. */
  isNoOp({ documentId, versionNumber, expectedCurrentVersion }: Change & { kind: 'restore' }): boolean {
    const source = this.version(documentId, versionNumber);
    const current = this.version(documentId, expectedCurrentVersion);
    return source?.title === current?.title && source?.content === current?.content;
  }

  /** Whether the change is there; undefined for changes that cannot be told from others of the same person. */
  has(change: Change, personId: string): boolean | undefined {
    if (change.kind === 'restore') return this.restored(change, personId) !== undefined;
    return change.kind === 'reopen' ? this.reopenings(change.message).length > 0 : undefined;
  }
}

function mutationProblems(mutation: Mutation, effects: Effects): string[] {
  const { changes, personId, attempts } = mutation;
  const say = (what: string) => `${describe(mutation)}: ${what}`;
  const successes = attempts.filter(({ status }) => status === 200);
  const decided = attempts.filter(isDecided);
  // With a key, one decided answer decides it for all attempts.
  const mayBeThere = successes.length > 0 || (attempts.some(isOpen) && !(mutation.key && decided.length > 0));
  const there = changes.map((change) => effects.has(change, personId));
  const problems: string[] = [];

  for (const [index, change] of changes.entries()) {
    if (there[index] && !mayBeThere) problems.push(say(`was refused, but ${change.kind} left a trace`));
    for (const { seen } of successes)
      if (there[index] && seen?.[index] === false) problems.push(say('was answered before it was committed'));
    if (change.kind === 'reopen' && effects.reopenings(change.message).length > 1) problems.push(say('was done twice'));
    if (change.kind !== 'restore') continue;
    const isNoOp = effects.isNoOp(change);
    const row = effects.restored(change, personId);
    if (there.includes(true) && !row && !isNoOp) problems.push(say('was done in part'));
    for (const { restored } of successes) {
      const id = restored[index];
      if (id === null && !isNoOp) problems.push(say('has no new version, but was no no-op'));
      if (id !== null && id !== row?.id) problems.push(say(`lost its version ${id}`));
    }
    const made = successes.filter(({ restored, replayed }) => restored[index] && !replayed);
    if (made.length > 1) problems.push(say('succeeded twice'));
  }
  return problems;
}

/** The outcome of a key and its change are both there or both absent. */
function keyProblems(mutation: Mutation, effects: Effects, { outcomes, versions }: Snapshot): string[] {
  const result = outcomes.get(`${mutation.tokenId} ${mutation.key}`);
  const say = (what: string) => `${describe(mutation)}: ${what}`;
  const isThere = mutation.changes.some((change) => effects.has(change, mutation.personId));
  if (result === undefined) {
    if (isThere) return [say('the change is there, but not the outcome of its key')];
    return mutation.attempts.some(isDecided) ? [say('was answered, but the outcome of its key is lost')] : [];
  }
  const [made] = Object.values<{ restoredVersion?: { id: string } } | null>(JSON.parse(result).data ?? {});
  const id = made?.restoredVersion?.id;
  if (id && !versions.some((version) => version.id === id))
    return [say('the outcome of its key is there, but not its change')];
  return [];
}

/** A reopening that succeeded without a trace met an open goal: one that was surely closed all the time is a lost change. */
function idleReopenings(mutation: Mutation, { mutations, written }: History, effects: Effects): string[] {
  const answered = mutation.attempts.filter(({ status }) => status === 200);
  const from = Math.min(...mutation.attempts.map(({ sent }) => sent));
  const until = Math.max(...answered.map((attempt) => attempt.answered));
  return mutation.changes.flatMap((change) => {
    if (answered.length === 0 || change.kind !== 'reopen' || effects.has(change, mutation.personId)) return [];
    const closings = written.filter(({ kind, id, done }) => kind === 'close' && id === change.goalId && done);
    const latest = closings.filter((closing) => closing.answered < from).sort((a, b) => b.sent - a.sent)[0];
    if (!latest) return [];
    const reopened = mutations.some(
      (other) =>
        other.changes.some(
          (made) => made.kind === 'reopen' && made.goalId === change.goalId && effects.has(made, other.personId),
        ) &&
        Math.min(...other.attempts.map(({ sent }) => sent)) < until &&
        Math.max(...other.attempts.map((attempt) => (isOpen(attempt) ? Infinity : attempt.answered))) > latest.sent,
    );
    return reopened ? [] : [`${describe(mutation)}: succeeded, but the goal stayed closed`];
  });
}

function unclaimedVersions({ mutations }: History, effects: Effects): string[] {
  const claims = new Map<string, number>();
  for (const { changes, personId } of mutations)
    for (const change of changes) {
      const id = change.kind === 'restore' && effects.restored(change, personId)?.id;
      if (id) claims.set(id, (claims.get(id) ?? 0) + 1);
    }
  return effects.snapshot.versions
    .filter(({ id, origin }) => origin === 'restored' && claims.get(id) !== 1)
    .map((row) => `version ${row.version_number} of ${row.document_id} was asked for ${claims.get(row.id) ?? 0} times`);
}

/** Deletions and recoveries are counted for each file and person: the answers say how many there are. */
function fileProblems({ mutations }: History, { activities }: Snapshot): string[] {
  const asked = new Map<string, { least: number; most: number }>();
  for (const { changes, personId, attempts } of mutations)
    for (const change of changes) {
      if (change.kind !== 'delete' && change.kind !== 'recover') continue;
      const name = `${change.kind === 'delete' ? 'resource_hub_file_deleted' : 'resource_hub_file_recovered'} ${change.fileId} ${personId}`;
      const bounds = asked.get(name) ?? { least: 0, most: 0 };
      const isDone = attempts.some(({ status }) => status === 200);
      const least = bounds.least + (isDone && change.kind === 'delete' ? 1 : 0);
      asked.set(name, { least, most: bounds.most + (isDone || attempts.some(isOpen) ? 1 : 0) });
    }
  const found = new Map<string, number>([...asked.keys()].map((name) => [name, 0]));
  for (const { action, file_id, author_id } of activities)
    if (file_id)
      found.set(`${action} ${file_id} ${author_id}`, (found.get(`${action} ${file_id} ${author_id}`) ?? 0) + 1);
  return [...found].flatMap(([name, count]) => {
    const { least, most } = asked.get(name) ?? { least: 0, most: 0 };
    return count < least || count > most ? [`${name}: ${count} times, but ${least} to ${most} were answered`] : [];
  });
}

function writtenProblems({ written }: History, { versions, activities }: Snapshot): string[] {
  const rows = new Set([...versions.map(({ content }) => content), ...activities.map(({ id }) => id)]);
  return written.flatMap(({ kind, id, mark, done }) =>
    kind !== 'revoke' && done !== null && rows.has(mark) !== done
      ? [`${kind} of ${id}: ${done ? 'lost' : 'left a trace'}`]
      : [],
  );
}

/**
 * Compares the database with what clients asked for and were told. Returns what does not fit, as sentences. Call it once
 * no request is running.
 */
export async function violationsIn(pool: pg.Pool, history: History, slowest: number): Promise<string[]> {
  const snapshot = await readSnapshot(pool, history.prefix);
  const rewritten = [...history.hashes].filter(([name, hash]) => snapshot.hashes.get(name) !== hash);
  return [
    ...snapshot.broken,
    ...rewritten.map(([name]) => `${name} was changed or removed`),
    ...answersOf(history, slowest),
    ...effectsOf(history, snapshot),
  ];
}
