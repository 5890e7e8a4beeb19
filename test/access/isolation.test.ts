import { describe, expect, test } from 'vitest';
import { schema } from '../../src/schema.js';
import {
  complete,
  completenessOfArguments,
  completenessOfFields,
  completenessOfMutations,
  completenessOfPaths,
} from './isolation/completeness.js';
import { tryFilters, tryLookUps, tryPaths } from './isolation/lookUps.js';
import { openScene, testLog } from './isolation/scene.js';

const scene = await openScene('asking');
const { world, ourTexts, theirTexts, matrix } = scene;

describe('the policy has a row for', () => {
  test('every field that reaches another record', () => {
    expect(completenessOfFields(schema)).toEqual(complete);
  });

  test('every mutation', () => {
    expect(completenessOfMutations(schema)).toEqual(complete);
  });

  test('every argument that names a record', () => {
    expect(completenessOfArguments(schema)).toEqual(complete);
  });

  test('every path', () => {
    expect(completenessOfPaths(world.app.routes.map(({ path }) => path))).toEqual(complete);
  });

  test('and every text of both companies has a word by which it would be found', () => {
    expect([ourTexts.silent, theirTexts.silent], 'give each a value in test/support/filled.ts').toEqual([[], []]);
  });
});

tryLookUps(scene);
tryFilters(scene);
tryPaths(scene);
testLog(matrix);
