import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newerProgram, type Program, thisProgram } from '../../../tools/upgrade/program.js';
import { type Upgrade, upgrade } from '../../../tools/upgrade/upgrade.js';
import { pathOf } from '../../support/documents.js';

let newer: Program;
let upgraded: Upgrade;

beforeAll(async () => {
  newer = await newerProgram();
  upgraded = await upgrade(thisProgram(), newer);
}, 240_000);
afterAll(async () => {
  await upgraded?.stop();
  await newer?.remove();
});

test('gateways serve while their database is migrated and newer ones replace them: no request fails', () => {
  const { statuses, failures, violations } = upgraded;
  expect(failures).toEqual([]);
  expect(violations).toEqual([]);
  expect(statuses[200]).toBeGreaterThan(50);
});

test('what the migrations prepare and fill is complete', async () => {
  expect(upgraded.applied).toEqual(readdirSync(pathOf('tools/upgrade/expand')));
  const { rows } = await upgraded.sql.query(`
    SELECT (SELECT count(*)::int FROM goals WHERE color IS NULL) AS unfilled,
      (SELECT indisvalid FROM pg_index WHERE indexrelid = 'goals_by_color'::regclass) AS is_indexed,
      (SELECT convalidated FROM pg_constraint WHERE conname = 'goals_owner_fkey') AS is_validated`);
  expect(rows).toEqual([{ unfilled: 0, is_indexed: true, is_validated: true }]);
});
