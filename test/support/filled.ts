import type { Prisma } from '../../src/generated/client/client.js';
import { openLevels, type World } from './world.js';

const at = (day: number) => new Date(Date.UTC(2026, 4, 1 + (day % 28), 9, 30, 15, 250));

/** A company of `count` colleagues in one space, and a caller who is champion of everything in it. */
async function crowd(world: World, count: number) {
  const company = await world.company();
  const caller = await world.person(company, { avatarUrl: 'https://cdn.example.com/caller.png' });
  const others = await world.crowd(company, count);
  const [reviewerId = ''] = others;
  await world.sql(
    `UPDATE people SET email = id || '@example.com', avatar_url = 'https://cdn.example.com/' || id || '.png'
    WHERE company_id = $1`,
    [company.companyId],
  );
  const space = await world.space(company, [caller, ...others.map((id) => ({ id }))], {
    mission: 'Sell more',
    publicLevel: 10,
  });
  return { company, caller, others, reviewerId, space };
}

/** A closed goal with everything a goal can have, and lists of `count` items. No field is empty. */
export async function filledGoal(world: World, count = 1) {
  const { db } = world;
  const { company, caller, others, reviewerId, space } = await crowd(world, count);
  const people = { championId: caller.id, reviewerId };
  const timeframe = {
    startDateType: 'quarter',
    startDateValue: 'Q1 2026',
    startDate: new Date('2026-01-01'),
    endDateType: 'day',
    endDateValue: 'Jun 30, 2026',
    endDate: new Date('2026-06-30'),
  } as const;
  const closing = { closedAt: at(1), closedById: reviewerId, success: true, nextUpdateScheduledAt: at(20) };
  const text = { description: 'Why we do it', ...people, ...timeframe, ...closing };
  const grandparent = await world.goal(space, text);
  const parent = await world.goal(space, { ...text, archivedAt: at(2), parentGoalId: grandparent.id });
  const goal = await world.goal(space, { ...text, publicLevel: 10, parentGoalId: parent.id });
  for (const { id: goalId } of [parent, goal]) {
    await db.target.createMany({
      data: others.map((_, index) => ({
        ...company,
        goalId,
        index,
        name: `Target ${index}`,
        from: 0,
        to: 10,
        unit: 'EUR',
        value: 2.5,
      })),
    });
    await db.goalCheck.createMany({
      data: others.map((_, index) => ({
        ...company,
        goalId,
        index,
        name: `Check ${index}`,
        completed: index % 2 === 0,
      })),
    });
    const updates = await db.goalProgressUpdate.createManyAndReturn({
      data: others.map((authorId, day) => ({
        ...company,
        goalId,
        authorId,
        status: 'on_track' as const,
        message: 'Fine',
        acknowledgedAt: at(day),
        acknowledgedById: caller.id,
        insertedAt: new Date(at(0).getTime() + day),
      })),
    });
    const retrospectives = await db.goalRetrospective.createManyAndReturn({
      data: others.map((authorId, day) => ({
        ...company,
        goalId,
        authorId,
        title: 'Learned',
        content: 'Much',
        insertedAt: new Date(at(0).getTime() + day),
      })),
    });
    const [progressUpdateId, retrospectiveId] = [updates.at(-1)?.id ?? '', retrospectives.at(-1)?.id ?? ''];
    await db.comment.createMany({
      data: others.flatMap((authorId) => [
        { ...company, authorId, content: 'Well', progressUpdateId },
        { ...company, authorId, content: 'Well', retrospectiveId },
      ]),
    });
    await db.reaction.createMany({
      data: others.map((personId) => ({ ...company, personId, emoji: '👍', progressUpdateId })),
    });
    await db.project.createMany({
      data: others.map((_, index) => ({
        ...company,
        spaceId: space.id,
        goalId,
        name: `Project ${index}`,
        description: 'How',
        status: 'caution' as const,
        closedAt: at(3),
        ...openLevels,
        publicLevel: 10,
        ...people,
      })),
    });
    await notify(
      world,
      others.map((authorId) => ({
        ...company,
        action: 'goal_reopened' as const,
        authorId,
        goalId,
        name: 'Before',
        undoneSuccess: true,
        undoneClosedAt: at(2),
        undoneClosedById: caller.id,
      })),
      caller.id,
    );
  }
  const latest = await db.activity.create({
    data: {
      ...company,
      action: 'goal_closed',
      authorId: reviewerId,
      goalId: goal.id,
      name: 'Before',
      insertedAt: at(30),
    },
  });
  const thread = await db.commentThread.create({ data: { ...company, activityId: latest.id, message: 'Done' } });
  await world.subscribe(
    { ...company, threadId: thread.id },
    others.map((id) => ({ id })),
  );
  return { company, caller, others, space, goal, parent };
}

type Parent = 'space' | 'goal' | 'project';

type Filled = Awaited<ReturnType<typeof filledGoal>>;

/** A hub of that goal, of its project or of its space, with folders nested up to 40 deep. */
async function filledHub(world: World, { space, goal, company, others }: Filled, parent: Parent) {
  const project = await world.db.project.findFirstOrThrow({ where: { goalId: goal.id } });
  const on = { space: { spaceId: space.id }, goal: { goalId: goal.id }, project: { projectId: project.id } }[parent];
  const hub = await world.hub(company, on);
  await world.db.resourceHub.updateMany({ where: { id: hub.id }, data: { description: 'All we know' } });
  const ids = Array.from({ length: Math.min(Math.max(2, others.length), 40) }, (_, depth) => `${hub.id}-${depth}`);
  await world.db.resourceHubFolder.createMany({
    data: ids.map((id, depth) => ({
      ...company,
      id,
      name: `Folder ${depth}`,
      description: 'Papers',
      resourceHubId: hub.id,
      parentFolderId: depth === 0 ? null : (ids[depth - 1] ?? null),
    })),
  });
  return { hub, folder: { id: ids.at(-1) ?? '' } };
}

/** A file with everything a file can have. */
export async function filledFile(world: World, made: Filled, parent: Parent) {
  const { caller, others } = made;
  const { hub, folder } = await filledHub(world, made, parent);
  const file = await world.file(hub, caller, {
    parentFolderId: folder.id,
    description: 'The plan',
    size: 5_000_000_000n,
  });
  await world.db.blob.updateMany({
    where: { id: file.blobId },
    data: { width: 800, height: 600, url: 'https://cdn.example.com/plan.pdf' },
  });
  await talkAbout(world, { companyId: file.companyId, fileId: file.id }, others);
  return file;
}

/** A document with everything a document can have, and one more version than there are people. */
export async function filledDocument(world: World, made: Filled, parent: Parent) {
  const { caller, others } = made;
  const { hub, folder } = await filledHub(world, made, parent);
  const texts = Array.from({ length: others.length + 1 }, (_, index) => `Text ${index}`);
  const document = await world.document(hub, caller, texts, {
    parentFolderId: folder.id,
    publicToken: `public-${hub.id}`,
  });
  await talkAbout(world, { companyId: document.companyId, documentId: document.id }, others);
  await notify(
    world,
    others.map((authorId) => ({
      companyId: document.companyId,
      action: 'resource_hub_document_edited' as const,
      authorId,
      documentId: document.id,
      name: 'Before',
    })),
    caller.id,
  );
  return document;
}

type Subject = { companyId: string } & ({ fileId: string } | { documentId: string });

async function talkAbout(world: World, subject: Subject, people: string[]) {
  await world.db.comment.createMany({
    data: people.map((authorId) => ({ ...subject, authorId, content: 'Nice' })),
  });
  await world.db.reaction.createMany({
    data: people.map((personId) => ({ ...subject, personId, emoji: '👍' })),
  });
  await world.subscribe(
    subject,
    people.map((id) => ({ id })),
    true,
  );
}

async function notify(world: World, data: Prisma.ActivityCreateManyInput[], personId: string) {
  const activities = await world.db.activity.createManyAndReturn({ data });
  await world.db.notification.createMany({
    data: activities.map(({ companyId, id }) => ({ companyId, activityId: id, personId })),
  });
}
