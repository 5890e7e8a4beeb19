import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OwnDatabase } from '../../src/database.js';
import { demoPeople } from '../../src/workspace/file.js';
import { importFrom } from '../../src/workspace/import.js';
import { ImportError } from '../../src/workspace/report.js';
import { columnsOf, lists, type Table, tables } from '../../src/workspace/tables.js';
import { pathOf } from '../support/documents.js';
import { documentSource, importDocument } from '../support/importDocument.js';
import { smallWorkspace } from '../support/smallWorkspace.js';
import { createWorld } from '../support/world.js';

type Json = Record<string, unknown>;

const demoFile = pathOf('prisma/demo-workspace.json');
const demoDocument = () => JSON.parse(readFileSync(demoFile, 'utf8')) as Record<string, Json[]>;

/** What no file says, as it is about tokens, which no file has. */
const notCopied = ['outcome_activity_id', 'previous_outcome_id', 'search_key', 'filename'];

/** What operations and updates write, and no first import. */
const notFromFile = [...notCopied, 'removed_at', 'origin', 'token_id', 'surface', 'undoes_id'];

async function problemsOf(attempt: Promise<unknown>): Promise<string[]> {
  const result = await attempt.catch((error: unknown) => error);
  expect(result).toBeInstanceOf(ImportError);
  return (result as ImportError).problems;
}

const rowsOf = (db: OwnDatabase, table: string) => db.prisma.$queryRawUnsafe<Json[]>(`SELECT * FROM ${table}`);

describe('the demo workspace', async () => {
  const { db } = await createWorld({ isAlone: true });
  let counts: Record<string, number>;
  beforeAll(async () => {
    counts = await importDocument(db, demoDocument());
  });

  it('is known to the planner at once', async () => {
    const known = await db.$queryRaw<Json[]>`SELECT relname AS name, reltuples::integer AS rows FROM pg_class
      WHERE relname = ANY (${tables})`;
    expect(Object.fromEntries(known.map(({ name, rows }) => [name, rows]))).toEqual(counts);
  });

  it('keeps every id that the file gives', async () => {
    const given: unknown[] = [];
    JSON.stringify(demoDocument(), (key, value) => (key === 'id' ? given.push(value) && value : value));
    const stored: unknown[] = [];
    for (const table of tables) stored.push(...(await rowsOf(db, table)).flatMap(({ id }) => id ?? []));
    expect(stored.sort()).toEqual(given.sort());
  });

  it('stores each field of a record as it is in the file', async () => {
    for (const [list, { table }] of Object.entries(lists)) {
      const stored = new Map((await rowsOf(db, table)).map((row) => [row.id, row]));
      const written = columnsOf(table);
      for (const record of demoDocument()[list] ?? [])
        for (const [field, value] of Object.entries(record).filter(([field]) => written.includes(field))) {
          const there = stored.get(record.id)?.[field];
          expect(there, `${record.id} ${field}`).toEqual(there instanceof Date ? new Date(`${value}`) : value);
        }
    }
  });

  it('stores what is nested where it belongs', async () => {
    const goal = await db.goal.findFirstOrThrow({
      where: { id: 'goal-launch-mobile-app' },
      include: {
        targets: { orderBy: { index: 'asc' } },
        checklist: true,
        grants: { orderBy: { level: 'desc' } },
        progressUpdates: {
          orderBy: { insertedAt: 'desc' },
          include: { comments: { include: { reactions: true } }, reactions: true },
        },
        retrospectives: { include: { comments: true } },
        activities: {
          where: { action: 'goal_closed' },
          include: {
            thread: { include: { comments: true, subscriptionList: { include: { subscriptions: true } } } },
            notifications: true,
          },
        },
      },
    });
    expect(goal).toMatchObject({
      publicLevel: 10,
      companyLevel: 10,
      spaceLevel: 70,
      closedById: demoPeople.writerId,
      success: true,
    });
    expect(goal).toMatchObject({
      startDateType: 'day',
      startDateValue: '12 Jan 2026',
      startDate: new Date('2026-01-12'),
    });
    expect(goal.targets.map(({ from, to, value, unit }) => [from, to, value, unit])).toEqual([
      [0, 20000, 17400, 'readers'],
      [4.5, 0.5, 0.9, '%'],
    ]);
    expect(goal.checklist.filter(({ completed }) => completed)).toHaveLength(3);
    expect(goal.grants.map(({ personId, level }) => [personId, level])).toEqual([
      ['person-ines-moreau', 100],
      ['person-amir-haddad', 40],
      ['person-sofie-dahl', 10],
    ]);
    expect(goal.progressUpdates[0]).toMatchObject({ status: 'on_track', acknowledgedById: demoPeople.readerId });
    expect(goal.progressUpdates[0]?.reactions).toHaveLength(2);
    expect(goal.progressUpdates[0]?.comments.flatMap(({ reactions }) => reactions)).toMatchObject([{ emoji: '📚' }]);
    expect(goal.retrospectives[0]?.comments).toHaveLength(2);
    const [closing] = goal.activities;
    expect(closing?.thread?.comments).toHaveLength(1);
    expect(closing?.thread?.subscriptionList?.sendToEveryone).toBe(true);
    expect(closing?.thread?.subscriptionList?.subscriptions.filter(({ canceled }) => canceled)).toHaveLength(1);
    expect(closing?.notifications.filter(({ readAt }) => readAt === null)).toHaveLength(2);
  });

  it('fills every column, gives every enum each of its values, and every flag both', async () => {
    const types = await db.$queryRaw<{ table: Table; column: string; type: string; values: string[] }[]>`
      SELECT c.table_name AS table, c.column_name AS column, c.udt_name AS type,
        ARRAY(SELECT e.enumlabel::text FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid WHERE t.typname = c.udt_name) AS values
      FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name = ANY (${tables})`;
    const values = new Map<string, unknown[]>();
    for (const { table, column, type } of types) {
      const stored = (await rowsOf(db, table)).map((row) => row[column]).filter((value) => value !== null);
      if (!notFromFile.includes(column))
        expect(stored.length, `give ${table}.${column} a value in prisma/demo-workspace.json`).toBeGreaterThan(0);
      values.set(type, [...(values.get(type) ?? []), ...stored]);
      if (type === 'bool') expect(new Set(stored).size, `${table}.${column}`).toBe(2);
      if (!notCopied.includes(column)) expect(['company_id', ...columnsOf(table)], table).toContain(column);
    }
    for (const { type, values: labels } of types.filter(({ column }) => !notFromFile.includes(column)))
      expect(values.get(type), type).toEqual(expect.arrayContaining(labels));
  });

  it('is refused a second time, naming what exists already, and nothing is written', async () => {
    const problems = await problemsOf(importDocument(db, demoDocument()));
    expect(problems).toEqual([
      'company.id: "company-harborlight" exists already, add --update to change it',
      'documents[0].public_token (document "doc-launch-plan"): "launch-plan-b7Qm2xT9cKf4Wz" exists already',
    ]);
    for (const table of tables) expect(await rowsOf(db, table), table).toHaveLength(counts[table] ?? -1);
  });
});

describe('a workspace', async () => {
  const world = await createWorld({ isAlone: true });
  const { db } = world;

  it('numbers the events in the order of their times, and those that follow after them', async () => {
    const goal = (id: string, ...times: string[]) => ({
      id,
      space_id: 'timed-space',
      name: id,
      activities: times.map((time) => ({
        action: 'goal_closed',
        author_id: 'p',
        name: time,
        inserted_at: `2026-01-0${time}T00:00:00Z`,
      })),
    });
    await importDocument(db, {
      company: { id: 'timed', name: 'Timed' },
      people: [{ id: 'p', full_name: 'Only One' }],
      spaces: [{ id: 'timed-space', name: 'Space' }],
      goals: [goal('late', '3', '5', '1'), goal('early', '2', '4')],
    });
    const companyId = 'timed';
    await db.activity.create({
      data: { companyId, goalId: 'early', authorId: 'p', action: 'goal_closed', name: 'next', insertedAt: new Date(0) },
    });
    expect(await world.numberEvents(companyId)).toMatchObject({ lastSequence: 6, numbered: 1 });
    const events = await db.activity.findMany({ where: { companyId }, orderBy: { sequence: 'asc' } });
    expect(events.map(({ name, sequence }) => [name, Number(sequence)])).toEqual([
      ...['1', '2', '3', '4', '5'].map((name, index) => [name, index + 1]),
      ['next', 6],
    ]);
  });

  it('opens nothing in a closed space: levels that are left out are those of the space, before or after it in the file', async () => {
    const named = (id: string, space_id: string) => ({ id, space_id, name: id });
    const levels = { public: 0, company: 0, space: 40 };
    const report = await importFrom(
      db,
      documentSource({
        company: { id: 'levels', name: 'Levels' },
        goals: [
          named('lg', 'closed'),
          named('lo', 'open'),
          { ...named('ls', 'closed'), access_levels: { ...levels, company: 10 } },
        ],
        projects: [named('lp', 'closed')],
        spaces: [
          { id: 'closed', name: 'Closed', access_levels: levels },
          { id: 'open', name: 'Open' },
        ],
      }),
    );
    expect(report.openedSpaces).toEqual(['open']);
    const own = { where: { companyId: 'levels' }, orderBy: { id: 'asc' as const } };
    const shown = ({ id, companyLevel, spaceLevel }: { id: string; companyLevel: number; spaceLevel: number }) =>
      `${id} ${companyLevel} ${spaceLevel}`;
    const stored = [...(await db.goal.findMany(own)), ...(await db.project.findMany(own))];
    expect(stored.map(shown)).toEqual(['lg 0 40', 'lo 70 100', 'ls 10 40', 'lp 0 40']);
    const delta = { company: { id: 'levels', name: 'Levels' }, goals: [named('lg', 'closed'), named('ln', 'open')] };
    const update = await importFrom(db, documentSource(delta), { update: true });
    expect(update.openedSpaces).toEqual([]);
    expect((await db.goal.findMany(own)).map(shown)).toEqual(['lg 0 40', 'ln 70 100', 'lo 70 100', 'ls 10 40']);
  });

  it('needs little: what is left out has a default, and a new id that sorts as in the file', async () => {
    const before = new Date();
    await importDocument(db, {
      company: { id: 'c', name: 'Tiny' },
      people: [{ id: 'p', full_name: 'Only One' }],
      spaces: [{ id: 's', name: 'Space', inserted_at: '2020-02-29T10:00:00.1239Z' }],
      goals: [
        {
          id: 'g',
          space_id: 's',
          name: 'Goal',
          targets: ['b', 'a'].map((name) => ({ name, from: 1, to: 5e-324, value: -0.1 })),
          activities: [
            ...['goal_created', 'goal_closed'].map((action) => ({ action, author_id: 'p', thread: {} })),
            { action: 'goal_reopened', author_id: 'p', name: 'Aim' },
          ],
        },
      ],
    });
    expect(await db.space.findFirst({ where: { id: 's' } })).toMatchObject({
      publicLevel: 0,
      companyLevel: 70,
      spaceLevel: 100,
      insertedAt: new Date('2020-02-29T10:00:00.123Z'),
      updatedAt: new Date('2020-02-29T10:00:00.123Z'),
    });
    const goal = await db.goal.findFirstOrThrow({ where: { id: 'g' } });
    expect(goal.insertedAt.getTime()).toBeGreaterThanOrEqual(before.getTime() - 1);
    const targets = await db.target.findMany({ where: { goalId: 'g' }, orderBy: { id: 'asc' } });
    expect(targets).toMatchObject([
      { name: 'b', index: 0, to: 5e-324, value: -0.1 },
      { name: 'a', index: 1 },
    ]);
    const [first, second, third] = await db.activity.findMany({
      where: { goalId: 'g' },
      orderBy: { id: 'asc' },
    });
    expect([first?.action, second?.action]).toEqual(['goal_created', 'goal_closed']);
    expect([first?.name, third?.name, third?.undoneClosedAt]).toEqual(['Goal', 'Aim', null]);
    expect(first?.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('may have the same id in two lists, and records in any order', async () => {
    const goals = [
      { id: 'order-2', space_id: '1', parent_goal_id: 'order-1', name: 'Child' },
      { id: 'order-1', space_id: '1', name: 'Parent' },
    ];
    const document = {
      goals,
      people: [{ id: '1', full_name: 'One' }],
      spaces: [{ id: '1', name: 'One' }],
      company: { id: '1', name: '1' },
    };
    expect(await importDocument(db, document)).toMatchObject({ goals: 2 });
  });

  it('of which two copies come at once is written once', async () => {
    const copies = await Promise.allSettled(
      Array.from({ length: 4 }, () => importDocument(db, smallWorkspace('twice'))),
    );
    expect(copies.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const copy of copies)
      if (copy.status === 'rejected')
        expect(copy.reason.problems).toContain('company.id: "twice-company" exists already, add --update to change it');
    expect(await db.company.count({ where: { id: 'twice-company' } })).toBe(1);
  });

  it('with an id that another writer takes meanwhile is refused, and nothing is written', async () => {
    let attempt: Promise<string[]> | undefined;
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO companies (id, name) VALUES ('race-company', 'Elsewhere')`;
      attempt = problemsOf(importDocument(db, smallWorkspace('race')));
      await world.untilOneWaits();
    });
    expect(await attempt).toEqual(['company.id: "race-company" exists already, add --update to change it']);
    expect(await db.person.count({ where: { companyId: 'race-company' } })).toBe(0);
  });

  it('with a public link that another company takes meanwhile is refused for that', async () => {
    const { documents } = smallWorkspace('link-race');
    const link = documents[0]?.public_token;
    let attempt: Promise<string[]> | undefined;
    await db.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO companies (id, name) VALUES ('link-taker', 'Elsewhere')`;
      await tx.$executeRaw`INSERT INTO public_links (company_id, token) VALUES ('link-taker', ${link})`;
      attempt = problemsOf(importDocument(db, smallWorkspace('link-race')));
      await world.untilOneWaits();
    });
    expect(await attempt).toEqual([`public_token: "${link}" exists already`]);
  });

  it('may have all the ids of another company', async () => {
    const workspace = smallWorkspace('shared');
    // Only public links are of one company among all.
    const documents = workspace.documents.map((document) => ({ ...document, public_token: null }));
    const of = (company: string) => ({ ...workspace, documents, company: { id: company, name: company } });
    expect(await importDocument(db, of('this'))).toEqual(await importDocument(db, of('that')));
  });

  it('is read again if its transaction loses to another', async () => {
    await world.sql(
      `CREATE SEQUENCE inserted;
       CREATE FUNCTION lose_once() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
       BEGIN
         IF nextval('inserted') = 1 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END IF;
         RETURN NULL;
       END $$;
       CREATE TRIGGER lose_once AFTER INSERT ON people FOR EACH STATEMENT EXECUTE FUNCTION lose_once()`,
    );
    expect(await importDocument(db, smallWorkspace('losing'))).toMatchObject({ companies: 1 });
    expect(await world.sql('SELECT last_value::integer AS tries FROM inserted')).toEqual([{ tries: 2 }]);
    await world.sql('DROP TRIGGER lose_once ON people');
  });

  it('of goals and folders deep in each other looks few up for each', { timeout: 60_000 }, async () => {
    const { spaces, resource_hubs: hubs, ...document } = smallWorkspace('deep');
    const [hub] = hubs;
    const goals = [];
    const folders = [];
    for (let n = 999; n >= 0; n -= 1) {
      const within = (kind: string) => (n === 0 ? null : `${kind}${n - 1}`);
      goals.push({ id: `goal${n}`, name: `${n}`, space_id: spaces[0]?.id, parent_goal_id: within('goal') });
      folders.push({ id: `f${n}`, name: `${n}`, resource_hub_id: hub?.id, parent_folder_id: within('f') });
    }
    const counted = async () => {
      const rows = await db.$queryRaw<{ table: string; rows: bigint; scans: bigint }[]>`
        SELECT relname AS "table", n_tup_ins AS rows, idx_scan AS scans FROM pg_stat_user_tables
        WHERE relname IN ('goals', 'resource_hub_folders') ORDER BY 1`;
      return rows.map((row) => ({ rows: Number(row.rows), scans: Number(row.scans) }));
    };
    const before = await counted();
    await importDocument(db, {
      ...document,
      ...{ spaces, resource_hubs: [hub], goals, folders, projects: [], files: [], documents: [] },
    });
    const more = async () =>
      (await counted()).map(({ rows, scans }, n) => ({
        rows: rows - (before[n]?.rows ?? 0),
        scans: scans - (before[n]?.scans ?? 0),
      }));
    // PostgreSQL counts late, so what a test before this has written may be among them.
    await expect
      .poll(async () => Math.min(...(await more()).map(({ rows }) => rows)), { timeout: 20_000 })
      .toBeGreaterThanOrEqual(1_000);
    // Walking up from each would look up half a million.
    for (const { scans } of await more()) expect(scans).toBeLessThan(20_000);
  });

  it('reports its progress up to the last row', async () => {
    const seen: [number, number][] = [];
    const counts = await importDocument(db, smallWorkspace('progress'), (written, total) =>
      seen.push([written, total]),
    );
    const total = Object.values(counts).reduce((sum, count) => sum + count);
    expect(seen.at(-1)).toEqual([total, total]);
    expect(seen.map(([written]) => written)).toEqual(seen.map(([written]) => written).sort((a, b) => a - b));
  });
});
