import { afterAll, expect, test } from 'vitest';
import { createWorld } from '../../support/world.js';
import { type Caller, callersOf } from './callers.js';
import { markTexts } from './canaries.js';
import { furnish } from './company.js';
import { Ladder } from './ladder.js';
import { Matrix } from './matrix.js';
import { fields, filters, texts } from './policy.js';
import { targetsOf } from './records.js';
import { Links } from './shown.js';

const queryLimits = {
  complexity: 1e9,
  depth: 100,
  aliases: 1e4,
  tokens: 1e6,
  definitions: 1e6,
  repetitions: 1e6,
  mutations: 10,
};

/** Two companies in one database whose every text would be recognized, and everyone who may ask. For one test file. */
export async function openScene(what: string, options: Parameters<typeof createWorld>[0] = {}) {
  const world = await createWorld({
    isAlone: true,
    queryLimits,
    // Each request asks for as much as fits.
    databaseTimeouts: { response: 120_000 },
    ...options,
  });
  const theirs = await furnish(world);
  const theirTexts = await markTexts(world, 'Bussard', []);
  const ours = await furnish(world);
  const ourTexts = await markTexts(world, 'Amsel', [theirTexts]);
  const ladder = await Ladder.read(world);
  const links = await Links.read(world, { ...fields, ...filters, ...texts });
  const callers = await callersOf(world, ours, theirs);
  const people = callers.filter(({ person }) => person);
  const [owner = people[0] as Caller] = people.filter(({ name }) => name === 'owner');
  const matrix = new Matrix(world, { ours: ourTexts, theirs: theirTexts });
  const [ourTargets, theirTargets] = [targetsOf(ours), targetsOf(theirs)];
  const started = performance.now();

  afterAll(() => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const { cells, requests } = matrix;
    console.log(`isolation, ${what}: ${cells} cells of ${callers.length} callers, ${requests} requests, ${seconds} s`);
  });

  return {
    world,
    ours,
    theirs,
    ourTexts,
    theirTexts,
    ladder,
    links,
    callers,
    people,
    owner,
    matrix,
    ourTargets,
    theirTargets,
    targets: [...ourTargets, ...theirTargets],
    /** Whether a record exists for the caller. */
    isFor: ({ person }: Caller, id: string) =>
      ladder.levelOf(person ?? '', id) >= 10 && ladder.exists(person ?? '', id),
  };
}

/** The last test of a file: what the requests before it left in the log. */
export const testLog = (matrix: Matrix): void =>
  test('the log has no text of a record, and no id that the caller neither has nor sent', () => {
    expect(matrix.leaksInLog()).toEqual([]);
  });
