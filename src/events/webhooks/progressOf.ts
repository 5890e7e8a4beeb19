import { currentOf, type Lane, sequenceOf } from './lane.js';
import type { Progress, PutAside } from './record.js';
import { inFlight, pauseAfter } from './retrySchedule.js';
import type { Taken } from './taken.js';

/** How far deliveries have come, without what they say of the endpoint. */
export type Moves = Pick<Progress, 'position' | 'attempted' | 'attempts' | 'putAside' | 'done' | 'sentOnce'>;

/**
 * How far the lanes of a round have come. Those whose request still runs are put aside, so that others need not wait for
 * it. The position stops before the first event that was not sent; if later ones were, that one is put aside too.
 * `isProbe` says that the endpoint waits as a whole: then its failures use up no retries.
 */
export function progressOf(taken: Taken, lanes: readonly Lane[], isProbe: boolean): Moves {
  const attempts = lanes.flatMap((lane) => lane.attempts.splice(0));
  const isNew = (lane: Lane) => lane.items[0]?.retry === undefined;
  const begun = Math.max(0, ...lanes.filter(isNew).map((lane) => lane.begun));
  // What is put aside up to the position is sent later, and may be sent again by a replay.
  const attemptedAt = (position: number) => Math.max(taken.attempted, begun, position);
  const done = [...taken.emptied];
  const attempted = attemptedAt(taken.reach);
  const moves: Moves = { position: taken.reach, attempted, attempts, putAside: [], done, sentOnce: [] };
  const unsent: Lane[] = [];
  for (const lane of lanes) {
    const isUnsent = lane.current === 'unsent' || (lane.current === 'failed' && isProbe);
    if (lane.items[0]?.retry?.once) noteOnce(lane, moves);
    else if (!isNew(lane)) noteRetry(lane, moves, isProbe);
    else if (currentOf(lane) && isUnsent) unsent.push(lane);
    else if (currentOf(lane)) putAside(lane, moves, isProbe, taken.attempted);
  }
  if (unsent.length === 0) return moves;
  const first = Math.min(...unsent.map((lane) => sequenceOf(currentOf(lane))));
  const last = isProbe ? 0 : begun;
  for (const lane of unsent) {
    if (sequenceOf(currentOf(lane)) <= last) putAside(lane, moves, isProbe, taken.attempted);
  }
  const position = Math.max(last, first - 1);
  return { ...moves, position, attempted: attemptedAt(position) };
}

/** The moves of lanes that were put aside while their request ran, and have ended since. */
export function lateProgressOf(lanes: readonly Lane[], position: number): Moves {
  const attempts = lanes.flatMap((lane) => lane.attempts.splice(0));
  const moves: Moves = { position, attempted: undefined, attempts, putAside: [], done: [], sentOnce: [] };
  for (const lane of lanes) {
    if (lane.items[0]?.retry?.once) noteOnce(lane, moves);
    else noteRetry(lane, moves, false);
  }
  return moves;
}

function noteOnce(lane: Lane, { sentOnce }: Moves): void {
  const [item] = lane.items;
  if (item?.retry && (lane.settled > 0 || lane.current === 'failed')) sentOnce.push(item.retry.id);
  lane.isPutAside = lane.current === 'running';
}

/** Of a record that has a retry already. What comes behind a lane that was put aside is not sent in it. */
function noteRetry(lane: Lane, moves: Moves, isProbe: boolean): void {
  const isDone = currentOf(lane) === undefined || (lane.isPutAside && lane.current === 'unsent' && lane.settled > 0);
  if (isDone) moves.done.push({ record: lane.record, through: sequenceOf(lane.items[lane.settled - 1]) });
  else putAside(lane, moves, isProbe);
}

function putAside(lane: Lane, { putAside: entries }: Moves, isProbe: boolean, attempted = 0): void {
  const current = currentOf(lane);
  const hasFailed = lane.current === 'failed' && !isProbe;
  const failures = (current?.retry?.failures ?? 0) + (hasFailed ? 1 : 0);
  const entry: PutAside = {
    record: lane.record,
    sequence: sequenceOf(current),
    failures,
    attempted: Math.max(attempted, lane.begun),
    pause: lane.current === 'running' ? inFlight : hasFailed ? (pauseAfter(failures) ?? 0) : 0,
  };
  entries.push(entry);
  lane.isPutAside = lane.current === 'running';
}
