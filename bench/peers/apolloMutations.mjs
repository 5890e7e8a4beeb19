import { GraphQLError } from 'graphql';
import { mentionedIn } from '../../src/text/richText.ts';
import { levelOn } from './apolloResolvers.mjs';

const failure = (code, status, message, members = {}) =>
  new GraphQLError(message, { extensions: { code, http: { status }, ...members } });

function permit(what, id, level) {
  if (level < 10) throw failure('NOT_FOUND', 404, `There is no ${what} ${id}.`);
  if (level < 70) throw failure('FORBIDDEN', 403, 'This needs edit access.');
}

/** Of these people, whom the activity is to notify: not the author, nobody suspended, nobody who cannot see the subject. */
async function notify(db, { companyId, personId }, activityId, people, access) {
  const viewers = await db.person.findMany({
    where: { companyId, id: { in: people, not: personId }, suspendedAt: null, ...access },
    select: { id: true },
  });
  await db.notification.createMany({ data: viewers.map(({ id }) => ({ companyId, activityId, personId: id })) });
}

const writing = (actor) => {
  if (!actor.canWrite) throw failure('FORBIDDEN', 403, 'The token is read-only.');
};

export const mutations = {
  restoreDocumentVersion: (_root, { input }, { db: client, actor }) =>
    client.$transaction(async (db) => {
      writing(actor);
      const { documentId, versionNumber, expectedCurrentVersion } = input;
      const { companyId, personId } = actor;
      const where = { companyId_id: { companyId, id: documentId } };
      const document = await db.resourceHubDocument.findUnique({
        where,
        include: { current: { include: { editor: true } } },
      });
      const exists =
        document && !document.deletedAt && (document.state === 'published' || document.authorId === personId);
      permit('document', documentId, exists ? await levelOn({ db, actor }, 'resourceHub', document.resourceHubId) : 0);
      if (document.currentVersion !== expectedCurrentVersion) {
        const { editor, insertedAt } = document.current;
        throw failure('VERSION_CONFLICT', 409, `The current version is ${document.currentVersion}.`, {
          expectedCurrentVersion,
          currentVersion: document.currentVersion,
          currentVersionEditor: { id: editor.id, fullName: editor.fullName },
          currentVersionInsertedAt: insertedAt,
        });
      }
      const source = await db.documentVersion.findUnique({
        where: { companyId_documentId_versionNumber: { companyId, documentId, versionNumber } },
      });
      if (!source) throw failure('NOT_FOUND', 404, `There is no version ${versionNumber} of document ${documentId}.`);
      const { title, content } = source;
      if (title === document.name && content === document.content) return { document, restoredVersion: null };
      const { count } = await db.resourceHubDocument.updateMany({
        where: { companyId, id: documentId, currentVersion: expectedCurrentVersion, deletedAt: null },
        data: { name: title, content, currentVersion: { increment: 1 }, updatedAt: new Date() },
      });
      if (count === 0) throw failure('VERSION_CONFLICT', 409, 'Somebody else was faster.');
      const restoredVersion = await db.documentVersion.create({
        data: {
          companyId,
          documentId,
          versionNumber: expectedCurrentVersion + 1,
          previousVersionNumber: expectedCurrentVersion,
          title,
          content,
          editorId: personId,
          origin: 'restored',
          restoredFromVersionNumber: versionNumber,
        },
      });
      const mentioned = mentionedIn(content);
      if (mentioned.length > 0) {
        const people = await db.person.findMany({ where: { companyId, id: { in: mentioned } }, select: { id: true } });
        const list = await db.subscriptionList.upsert({
          where: { companyId_documentId: { companyId, documentId } },
          create: { companyId, documentId },
          update: {},
        });
        const data = people.map(({ id }) => ({
          companyId,
          subscriptionListId: list.id,
          personId: id,
          type: 'mentioned',
        }));
        await db.subscription.createMany({ data, skipDuplicates: true });
      }
      await db.activity.create({
        data: {
          companyId,
          action: 'document_version_restored',
          authorId: personId,
          documentId,
          documentVersionId: restoredVersion.id,
          name: title,
        },
      });
      return { document: await db.resourceHubDocument.findUnique({ where }), restoredVersion };
    }),

  reopenGoal: (_root, { input }, { db: client, actor }) =>
    client.$transaction(async (db) => {
      writing(actor);
      const { id, message = null, subscriberIds, sendNotificationsToEveryone } = input;
      const { companyId, personId } = actor;
      if (id == null) return { goal: null };
      const where = { companyId_id: { companyId, id } };
      const goal = await db.goal.findUnique({ where });
      permit('goal', id, goal ? await levelOn({ db, actor }, 'goal', id) : 0);
      if (goal.archivedAt) throw failure('GOAL_ARCHIVED', 409, `Goal ${id} is archived.`);
      const invited = [...new Set(subscriberIds ?? [])];
      const people = await db.person.findMany({ where: { companyId, id: { in: invited } }, select: { id: true } });
      if (people.length < invited.length) throw failure('BAD_USER_INPUT', 400, 'subscriberIds: not all are people.');
      const { count } = await db.goal.updateMany({
        where: { companyId, id, closedAt: { not: null }, archivedAt: null },
        data: { closedAt: null, closedById: null, success: null, updatedAt: new Date() },
      });
      if (count === 0) return { goal };
      const activity = await db.activity.create({
        data: {
          companyId,
          action: 'goal_reopened',
          authorId: personId,
          goalId: id,
          name: goal.name,
          undoneSuccess: goal.success,
          undoneClosedAt: goal.closedAt,
          undoneClosedById: goal.closedById,
        },
      });
      const thread = await db.commentThread.create({ data: { companyId, activityId: activity.id, message } });
      const everyone = sendNotificationsToEveryone ?? false;
      const list = await db.subscriptionList.create({
        data: { companyId, threadId: thread.id, sendToEveryone: everyone },
      });
      const mentioned = await db.person.findMany({
        where: { companyId, id: { in: mentionedIn(message), notIn: [personId, ...invited] } },
        select: { id: true },
      });
      const subscribed = [
        { personId, type: 'joined' },
        ...invited.filter((one) => one !== personId).map((one) => ({ personId: one, type: 'invited' })),
        ...mentioned.map((one) => ({ personId: one.id, type: 'mentioned' })),
      ];
      const data = subscribed.map((one) => ({ companyId, subscriptionListId: list.id, ...one }));
      await db.subscription.createMany({ data });
      const members = everyone ? await db.spaceMember.findMany({ where: { companyId, spaceId: goal.spaceId } }) : [];
      const audience = [...new Set([...subscribed, ...members].map((one) => one.personId))];
      await notify(db, actor, activity.id, audience, {
        goalAccess: { some: { companyId, goalId: id, level: { gte: 10 } } },
      });
      return { goal: await db.goal.findUnique({ where }) };
    }),

  deleteResourceHubFile: (_root, { input: { fileId: id } }, { db: client, actor }) =>
    client.$transaction(async (db) => {
      writing(actor);
      const { companyId, personId } = actor;
      if (id == null) return { file: null };
      const where = { companyId_id: { companyId, id } };
      const hub = { include: { goal: true, project: true } };
      const file = await db.resourceHubFile.findUnique({
        where,
        include: { resourceHub: hub, subscriptionList: { include: { subscriptions: true } } },
      });
      const exists = file && !file.deletedAt;
      permit('file', id, exists ? await levelOn({ db, actor }, 'resourceHub', file.resourceHubId) : 0);
      const { count } = await db.resourceHubFile.updateMany({
        where: { companyId, id, deletedAt: null },
        data: { deletedAt: new Date(), deletedById: personId },
      });
      if (count === 0) throw failure('NOT_FOUND', 404, `There is no file ${id}.`);
      const activity = await db.activity.create({
        data: {
          companyId,
          action: 'resource_hub_file_deleted',
          authorId: personId,
          fileId: id,
          name: file.name,
        },
      });
      const subscriptions = file.subscriptionList?.subscriptions ?? [];
      const canceled = new Set(subscriptions.filter((one) => one.canceled).map((one) => one.personId));
      const { resourceHub } = file;
      const spaceId = resourceHub.spaceId ?? (resourceHub.goal ?? resourceHub.project).spaceId;
      const members = file.subscriptionList?.sendToEveryone
        ? await db.spaceMember.findMany({ where: { companyId, spaceId } })
        : [];
      const audience = [...subscriptions, ...members].map((one) => one.personId).filter((one) => !canceled.has(one));
      const access = {
        resourceHubAccess: { some: { companyId, resourceHubId: file.resourceHubId, level: { gte: 10 } } },
      };
      await notify(db, actor, activity.id, [...new Set(audience)], access);
      return { file: await db.resourceHubFile.findUnique({ where }) };
    }),
};
