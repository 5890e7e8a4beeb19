import { afterAll, expect, test } from 'vitest';
import { oncePerRun } from '../../support/once.js';
import { seedOf } from '../../support/seedOf.js';
import { createWorld, fillDatabase } from '../../support/world.js';
import { type Caller, callersOf } from './callers.js';
import { type Canaries, markTexts } from './canaries.js';
import { type Cell, inOrderOf, oneOfEachClass } from './classes.js';
import { furnish } from './company.js';
import { Ladder } from './ladder.js';
import { expected, Matrix } from './matrix.js';
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

/** Furnishes two companies in one database whose every text would be recognized, and hires everyone who may ask. */
const makeScene = () =>
  fillDatabase(async (world) => {
    const theirs = await furnish(world);
    const theirTexts = await markTexts(world, 'Bussard', []);
    const ours = await furnish(world);
    const ourTexts = await markTexts(world, 'Amsel', [theirTexts]);
    const callers = await callersOf(world, ours, theirs);
    const plain = (one: Canaries) => ({ ...one, ids: [...one.ids] });
    return { ours, theirs, callers, canaries: { ours: plain(ourTexts), theirs: plain(theirTexts) } };
  });

/** How long the whole matrix may take, in seconds, and the seed of its order. */
const wholeSeconds = Number(process.env.ISOLATION_SECONDS ?? 180);

/** A copy of the scene for one test file, which asks one cell of each class or, `isWhole`, all of the matrix. */
export async function openScene(
  what: string,
  { isWhole = false, ...options }: Parameters<typeof createWorld>[0] & { isWhole?: boolean } = {},
) {
  const { from, ours, theirs, callers, canaries } = await oncePerRun('scene', makeScene);
  const textsOf = (one: { ids: string[] } & Omit<Canaries, 'ids'>): Canaries => ({ ...one, ids: new Set(one.ids) });
  const [ourTexts, theirTexts] = [textsOf(canaries.ours), textsOf(canaries.theirs)];
  const world = await createWorld({
    from,
    queryLimits,
    // Each request asks for as much as fits.
    databaseTimeouts: { response: 120_000 },
    ...options,
  });
  const ladder = await Ladder.read(world);
  const links = await Links.read(world, { ...fields, ...filters, ...texts });
  const people = callers.filter(({ person }) => person);
  const [owner = people[0] as Caller] = people;
  const matrix = new Matrix(world, { ours: ourTexts, theirs: theirTexts });
  const [ourTargets, theirTargets] = [targetsOf(ours), targetsOf(theirs)];
  const started = performance.now();
  const seed = isWhole ? seedOf('ISOLATION_SEED') : 0;
  let chosen = 0;

  afterAll(() => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const { cells, requests } = matrix;
    console.log(
      `isolation, ${what}: ${cells} cells (${chosen} chosen) of ${callers.length} callers, ${requests} requests, ${seconds} s`,
    );
  });

  return {
    world,
    isWhole,
    hasTime: () => !isWhole || performance.now() - started < wholeSeconds * 1_000,
    /** Of what callers ask, one of each class or, in the order of the seed, everything. */
    cellsOf<Asked extends Pick<Cell, 'way' | 'need' | 'target'>>(
      by: Caller[],
      asked: Asked[],
      refusal: (caller: Caller) => string | undefined = () => undefined,
    ): (Asked & Cell)[] {
      const all = asked.flatMap((one) =>
        by.map((caller) => ({
          ...one,
          caller,
          wanted: refusal(caller) ?? expected(ladder, caller, one.need, one.target),
        })),
      );
      const cells = isWhole ? inOrderOf(seed, all) : oneOfEachClass(ladder, all);
      chosen += cells.length;
      return cells;
    },
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

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** The last test of a file: what the requests before it left in the log. */
export const testLog = (matrix: Matrix): void =>
  test('the log has no text of a record, and no id that the caller neither has nor sent', () => {
    expect(matrix.leaksInLog()).toEqual([]);
  });
