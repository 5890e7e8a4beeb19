import { describe, expect, test } from 'vitest';
import { documentSource, streamSource } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';
import { ImportError, type ImportOptions } from '../../src/workspace/report.js';
import { seedOf } from '../support/seedOf.js';
import { smallWorkspace } from '../support/smallWorkspace.js';
import { createWorld, type Json } from '../support/world.js';

const world = await createWorld();
const { db } = world;

/** Rows whose text says all that they have, so that a file brings them back. */
function workspace(key: string): Json {
  const document = smallWorkspace(key) as Json;
  const by = { author_id: `${key}-ann` };
  const reactions = [{ person_id: `${key}-ben`, emoji: '👍' }];
  const comments = [{ ...by, content: 'Yes', reactions }];
  Object.assign(document.goals[0], {
    access: [{ person_id: `${key}-ben`, level: 40 }],
    progress_updates: [{ id: `${key}-update`, ...by, status: 'on_track', comments, reactions }],
    retrospectives: [{ ...by, title: 'Done', content: 'Well', comments }],
    activities: [],
  });
  Object.assign(document.files[0], { comments });
  Object.assign(document.documents[0], { comments, reactions, subscription_list: { subscriptions: [] } });
  Object.assign(document.projects[0], { goal_id: `${key}-goal`, champion_id: `${key}-ben` });
  return document;
}

const update = (source: ReturnType<typeof streamSource>, options: ImportOptions = {}) =>
  importFrom(db, source, { update: true, shown: 1000, ...options }).catch((error: unknown) => {
    if (error instanceof ImportError) return { problems: error.problems };
    throw error;
  });

const textOf = (document: Json) => streamSource(() => [Buffer.from(JSON.stringify(document))]);

/** A company whose records are all known. */
async function known(key: string) {
  const document = workspace(key);
  const { companyId } = await importFrom(db, textOf(document));
  return { document, companyId, id: (name: string) => `${key}-${name}` };
}

describe('a record whose text and rows are as they were', () => {
  test('is not read again, and counts as unchanged', async () => {
    const { document, companyId } = await known('same');
    await world.sql(
      `UPDATE imported_records SET rows = '{"goals": 1000}' WHERE company_id = $1 AND id = 'same-subgoal'`,
      [companyId],
    );
    // Only the note can say so.
    expect(await update(textOf(document))).toMatchObject({ tables: { goals: { changed: 0, unchanged: 1001 } } });
    expect(await update(documentSource(document))).toMatchObject({ tables: { goals: { changed: 0, unchanged: 2 } } });
  });

  test.each<[string, (document: Json, id: (name: string) => string) => void, string[]]>([
    [
      'there twice',
      (document) => document.goals.push(document.goals[1]),
      ['goals[2].id: "$-subgoal" is the same as goals[1].id'],
    ],
    [
      'there twice, once with another text',
      (document) => document.goals.push({ ...document.goals[1], name: 'Other' }),
      ['goals[2].id: "$-subgoal" is the same as goals[1].id'],
    ],
    [
      'robbed of a row',
      ({ goals }) => Object.assign(goals[1], { targets: goals[0].targets }),
      ['goals[1].targets[0].id: "$-target" is in goals[0], too'],
    ],
    [
      'robbed of its public link',
      ({ documents }) =>
        documents.push({
          ...documents[0],
          id: 'other',
          name: 'Two',
          content: 'two',
          public_token: documents[0].public_token,
          versions: [
            { version_number: 1, title: 'Two', content: 'two', origin: 'published', editor_id: documents[0].author_id },
          ],
          activities: [],
        }),
      ['documents[2].public_token: "$-link" is in documents[0], too'],
    ],
    [
      'removed',
      (document, id) => Object.assign(document, { removed: { projects: [id('project')] } }),
      ['projects[0].id: "$-project" is in removed.projects, too'],
    ],
    [
      'of a person who is removed',
      (document, id) => {
        document.people.pop();
        document.removed = { people: [id('ben')] };
      },
      [
        ...['spaces[0]', 'goals[0]', 'projects[0].champion_id', 'files[0]', 'documents[0]'].map(
          (path) => `${path}: nothing in people has the id "$-ben"`,
        ),
      ],
    ],
  ])('is refused if it is %s', async (_case, change, problems) => {
    const key = `wrong-${_case.replaceAll(/\W/g, '-')}`;
    const { document, id } = await known(key);
    change(document, id);
    expect(await update(textOf(document))).toEqual({ problems: problems.map((each) => each.replace('$', key)) });
  });

  /** The database is changed, and the file is, at random; what an import with the notes says is what one without says. */
  test('is told from others as without the notes, whatever has changed on both sides', async () => {
    const random = generator(seedOf('KNOWN_RECORDS_SEED'));
    const rounds = Number(process.env.KNOWN_RECORDS ?? 20);
    const { document, companyId } = await known('random');
    let knownRounds = 0;
    for (let round = 0; round < rounds; round += 1) {
      const steps = Array.from({ length: random(4) }, () => changes[random(changes.length)] as Change);
      const told: string[] = [];
      for (const step of steps) told.push(await step(document, companyId, random));
      const options = { removeMissing: random(2) === 0, overwrite: random(4) === 0 };
      const without = await update(documentSource(document), { ...options, dryRun: true });
      expect(await update(textOf(document), { ...options, dryRun: true }), told.join('\n')).toEqual(without);
      await update(textOf(document), options);
      const [{ count } = { count: 0 }] = (await world.sql(
        'SELECT count(*)::int FROM imported_records WHERE company_id = $1',
        [companyId],
      )) as Json[];
      knownRounds += count > 5 ? 1 : 0;
    }
    expect(knownRounds).toBe(rounds);
  }, 600_000);
});

type Change = (document: Json, companyId: string, random: (below: number) => number) => Promise<string>;

function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const statements = [
  `UPDATE goals SET name = name || '.' WHERE company_id = $1 AND id = (SELECT min(id) FROM goals WHERE company_id = $1)`,
  `UPDATE goals SET closed_at = now(), success = true WHERE company_id = $1 AND closed_at IS NULL`,
  `UPDATE targets SET value = value + 1 WHERE company_id = $1`,
  'DELETE FROM goal_checks WHERE company_id = $1',
  `INSERT INTO goal_checks (company_id, goal_id, index, name) SELECT company_id, id, 7, 'New' FROM goals WHERE company_id = $1`,
  `UPDATE goal_progress_updates SET message = 'M' WHERE company_id = $1`,
  `UPDATE goal_retrospectives SET title = title || '.' WHERE company_id = $1`,
  `UPDATE access_grants SET level = 70 WHERE company_id = $1`,
  'DELETE FROM access_grants WHERE company_id = $1',
  'DELETE FROM reactions WHERE company_id = $1',
  `UPDATE comments SET content = content || '.' WHERE company_id = $1 AND thread_id IS NULL`,
  'DELETE FROM space_members WHERE company_id = $1',
  'DELETE FROM subscriptions WHERE company_id = $1',
  `UPDATE blobs SET size = size + 1 WHERE company_id = $1`,
  `UPDATE resource_hub_files SET deleted_at = now() WHERE company_id = $1 AND deleted_at IS NULL`,
  `UPDATE resource_hub_folders SET name = name || '.' WHERE company_id = $1`,
  `UPDATE people SET suspended_at = now() WHERE company_id = $1 AND suspended_at IS NULL`,
  `UPDATE projects SET removed_at = now() WHERE company_id = $1 AND removed_at IS NULL`,
];

const inDatabase = statements.map(
  (statement): Change =>
    async (_document, companyId) => {
      await world.sql(statement, [companyId]);
      return statement;
    },
);

const inFile: Change[] = [
  async ({ goals }, _companyId, random) => {
    const goal = goals[random(goals.length)];
    goal.name = `Goal ${random(3)}`;
    return `goal named ${goal.name}`;
  },
  async ({ goals }, _companyId, random) => {
    const goal = goals[random(goals.length)];
    goal.targets = Array.from({ length: random(3) }, (_, n) => ({ name: `T${n}`, from: 0, to: 1, value: random(2) }));
    return `goal with ${goal.targets.length} targets`;
  },
  async ({ goals }) => {
    delete goals[0].access;
    return 'a goal without access';
  },
  async ({ projects, company }, _companyId, random) => {
    if (random(2) === 0) projects.pop();
    else projects.push({ id: `p${random(3)}`, space_id: company.id.replace('company', 'space'), name: 'P' });
    return `${projects.length} projects`;
  },
  async ({ files }, _companyId, random) => {
    files[0].blob.size = random(3);
    return 'a file of another size';
  },
  async ({ people }) => {
    people.reverse();
    return 'people in another order';
  },
];

const changes = [...inDatabase, ...inFile];
