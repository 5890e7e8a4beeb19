import SchemaBuilder from '@pothos/core';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { models } from '../../../src/generated/models.js';
import { Agent } from '../../support/agent.js';
import { filledDocument, filledFile, filledGoal } from '../../support/filled.js';
import { openStream } from '../../support/openStream.js';
import { preparedStatements } from '../../support/pgbouncer.js';
import { withFragments } from '../../support/restFragments.js';
import { seedOf } from '../../support/seedOf.js';
import { createWorld, type Json, restPaths, type World } from '../../support/world.js';

// Each round builds the schema anew.
SchemaBuilder.allowPluginReRegistration = true;
const seed = seedOf('ADDED_FIELDS_SEED');
const rounds = Number(process.env.ADDED_FIELDS ?? 2);
const fieldsAtOnce = 5;

const plain = await createWorld();
const made = await filledGoal(plain, 3);
const { company, caller, goal } = made;
const file = await filledFile(plain, made, 'goal');
const document = await filledDocument(plain, made, 'project');

/** The models whose types are open to more fields. */
const typed = [
  'Goal',
  'Project',
  'Space',
  'Person',
  'Activity',
  'Notification',
  'ResourceHub',
  'DocumentVersion',
] as const;
type Model = (typeof typed)[number];

interface Added {
  model: Model;
  relation: string;
  isCount: boolean;
  isFiltered: boolean;
  hasArguments: boolean;
}

const added = (relationOf: (model: Model) => string[]) =>
  fc.constantFrom(...typed).chain((model) =>
    fc.record<Added>({
      model: fc.constant(model),
      relation: fc.constantFrom(...relationOf(model)),
      isCount: fc.boolean(),
      isFiltered: fc.boolean(),
      hasArguments: fc.boolean(),
    }),
  );

/** The relations between types of the schema. */
const relationsOf = (model: Model) =>
  Object.entries(models[model]?.relations ?? {}).flatMap(([name, relation]) =>
    typed.some((type) => type === relation.model) ? [name] : [],
  );

/** Another gateway on the same database, of a product that has these fields too. */
async function withFields(fields: readonly Added[]): Promise<World> {
  vi.resetModules();
  const { builder } = await import('../../../src/schema/builder.js');
  const types: Record<string, Json> = {
    ...(await import('../../../src/schema/goals/goal.js')),
    ...(await import('../../../src/schema/people/spaces.js')),
    ...(await import('../../../src/schema/people/people.js')),
    ...(await import('../../../src/schema/events/activity.js')),
    ...(await import('../../../src/schema/hubs/resourceHub.js')),
    ...(await import('../../../src/schema/hubs/versions.js')),
  };
  for (const [index, { model, relation, isCount, isFiltered, hasArguments }] of fields.entries()) {
    const { isList, isNullable, model: other } = (models[model] as Json).relations[relation];
    builder.prismaObjectField(types[model], `added${index}`, (t: Json) => {
      const args = hasArguments && { args: { name: t.arg.string() } };
      const where = (given: Json, { actor: { companyId } }: Json) => ({
        companyId,
        ...(isFiltered && { id: { not: hasArguments ? (given.name ?? 'none') : 'none' } }),
      });
      if (isList && isCount) return t.relationCount(relation, { ...args, where });
      const query = isList && {
        query: (given: Json, context: Json) => ({ where: where(given, context), orderBy: { id: 'desc' } }),
      };
      return t.relation(relation, { type: types[other], ...(!isList && { nullable: isNullable }), ...args, ...query });
    });
  }
  const { World: Extended } = await import('../../support/world.js');
  const { openModels } = await import('../../../src/database.js');
  const twin = new Extended(openModels({ url: plain.url, poolSize: 4, preparedStatements }), plain.url);
  twins.push(twin as unknown as World);
  return twin as unknown as World;
}

// The next file of the worker gets the product's own schema.
afterAll(() => void vi.resetModules());

const twins: World[] = [];
afterEach(async () => {
  for (const twin of twins.splice(0)) {
    await twin.close();
    await twin.db.$disconnect();
  }
});

const post = async (world: World, operation: keyof typeof restPaths, input: Json) => {
  const { status, body } = await world.post(restPaths[operation], caller.token, input);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

/** What the documents that only read answer. */
async function reading(world: World): Promise<Json[]> {
  const agent = new Agent(world, caller.token);
  const query = (field: string, fragment: string) =>
    world.graphql(
      caller.token,
      withFragments(
        `query ($id: ID!) { ${field}(id: $id) { ...${fragment} potentialSubscribers { person { fullName } } } }`,
      ),
      { id: field === 'goal' ? goal.id : field === 'resourceHubFile' ? file.id : document.id },
    );
  const answers = [
    ...(await Promise.all([
      query('goal', 'GoalFields'),
      query('resourceHubFile', 'FileFields'),
      query('resourceHubDocument', 'DocumentFields'),
    ])),
    await world.graphql(
      caller.token,
      '{ goals { nodes { name projects { name goal { name } } parentGoal { name } activities(first: 3) { nodes { action author { fullName } } } } } }',
    ),
  ].map(({ body }) => body);
  for (const [tool, input] of [
    ['find_goals', {}],
    ['find_people', {}],
    ['find_files_and_documents', { text: 'Plan' }],
    ['find_places', {}],
    ['recent_changes', {}],
    ['read_document', { id: document.id }],
    ['preview_change', { delete_resource_hub_file: { file_id: file.id } }],
  ] as const)
    answers.push((await agent.call(tool, input)).structuredContent);
  for (const answer of answers) expect(answer.errors, JSON.stringify(answer.errors)).toBeUndefined();
  // A confirmation has its time.
  return answers.map(({ confirmation, expires_at, ...answer }) => answer);
}

/** The answers of REST to changes made by one gateway, each made again or undone by the other. */
async function changing(extended: World): Promise<void> {
  await plain.sql('UPDATE goals SET closed_at = now(), success = true WHERE company_id = $1 AND id = $2', [
    company.companyId,
    goal.id,
  ]);
  const reopened = await post(extended, 'reopenGoal', { id: goal.id, message: 'Again' });
  expect(reopened).toEqual(await post(plain, 'reopenGoal', { id: goal.id }));
  const deleted = await post(extended, 'deleteResourceHubFile', { file_id: file.id });
  const recovered = await post(extended, 'recoverResourceHubFile', { file_id: file.id });
  expect(recovered).toEqual(await post(plain, 'recoverResourceHubFile', { file_id: file.id }));
  expect(await post(plain, 'deleteResourceHubFile', { file_id: file.id })).toEqual(deleted);
  await post(plain, 'recoverResourceHubFile', { file_id: file.id });
  const [{ current_version: current }] = (await plain.sql(
    'SELECT current_version FROM resource_hub_documents WHERE company_id = $1 AND id = $2',
    [company.companyId, document.id],
  )) as [Json];
  const input = { document_id: document.id, version_number: current === 1 ? 1 : current - 1 };
  const restored = await post(extended, 'restoreDocumentVersion', { ...input, expected_current_version: current });
  const again = { ...input, version_number: current + 1, expected_current_version: current + 1 };
  if (restored.restored_version)
    expect(restored.document).toEqual((await post(plain, 'restoreDocumentVersion', again)).document);
}

async function streaming(extended: World): Promise<void> {
  const query = 'subscription { events { id type body activity { action author { fullName } token { name } } } }';
  extended.startDispatcher();
  const stream = await openStream(await extended.base(), caller.token, { query });
  const after = stream.lastEventId;
  await post(extended, 'deleteResourceHubFile', { file_id: file.id });
  const [event] = await stream.events(1);
  stream.close();
  const selection = query.slice(query.indexOf('{ id'), query.lastIndexOf('}'));
  const { body } = await plain.graphql(
    caller.token,
    `query ($after: String) { events(after: $after) { nodes ${selection} } }`,
    { after },
  );
  expect(body.data.events.nodes).toContainEqual(event);
  await post(plain, 'recoverResourceHubFile', { file_id: file.id });
}

test(
  `fields that are added change nothing of what stored documents answer (ADDED_FIELDS_SEED=${seed})`,
  async () => {
    const drawn = fc.sample(fc.array(added(relationsOf), { minLength: fieldsAtOnce, maxLength: fieldsAtOnce }), {
      seed,
      numRuns: rounds,
    });
    plain.startDispatcher();
    for (const fields of drawn) {
      const unnumbered = 'SELECT FROM activities WHERE sequence IS NULL';
      await expect.poll(async () => (await plain.sql(unnumbered)).length).toBe(0);
      const extended = await withFields(fields);
      expect(await reading(extended), JSON.stringify(fields)).toEqual(await reading(plain));
      await changing(extended);
      await streaming(extended);
      // Through a person whom a statement of ours has found, too.
      for (const [index, { model }] of fields.entries()) {
        if (model !== 'Person') continue;
        const { body } = await extended.graphql(
          caller.token,
          `query ($id: ID!) { goal(id: $id) { potentialSubscribers { person { id added${index} ${'{ id }'} } } projects { name } } }`,
          { id: goal.id },
        );
        expect(
          body.errors?.filter(({ extensions }: Json) => extensions.code !== 'GRAPHQL_VALIDATION_FAILED') ?? [],
        ).toEqual([]);
      }
    }
  },
  60_000 + rounds * 60_000,
);
