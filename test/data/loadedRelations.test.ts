import { isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { models } from '../../src/generated/models.js';
import { schema } from '../../src/schema/index.js';
import { selectedBy } from '../../src/schema/plans.js';

type Query = Record<string, unknown>;

/** The ways in which fields load each relation, as JSON. */
const ways = new Map<string, Set<string>>();

function note(model: string, { select }: { select?: unknown }): void {
  for (const [name, part] of Object.entries((select ?? {}) as Query)) {
    if (name === '_count') noteCounts(model, part as { select: Query });
    const relation = models[model]?.relations[name];
    if (!relation) continue;
    const { select: inner, ...way } = (part === true ? {} : part) as Query;
    add(`${model}.${name}`, way);
    note(relation.model, { select: inner });
  }
}

function noteCounts(model: string, { select }: { select: Query }): void {
  for (const [name, way] of Object.entries(select)) add(`${model}._count.${name}`, way);
}

function add(relation: string, way: unknown): void {
  ways.set(relation, (ways.get(relation) ?? new Set()).add(JSON.stringify(way)));
}

test('all fields load a relation in the same way, so that each finds it in any row that has it', () => {
  for (const type of Object.values(schema.getTypeMap())) {
    const model = isObjectType(type) && type.extensions.pothosPrismaModel;
    if (!model) continue;
    for (const { extensions } of Object.values(type.getFields())) {
      note(String(model), { select: selectedBy(extensions.pothosPrismaSelect) });
    }
  }
  expect([...ways].filter(([, { size }]) => size > 1)).toEqual([]);
  expect(ways.size).toBeGreaterThan(40);
});
