import type pg from 'pg';
import { answersOf } from './answers.js';
import { effectsOf } from './effects.js';
import type { History } from './history.js';
import { readSnapshot } from './snapshot.js';

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
