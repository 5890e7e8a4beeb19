import { operations as declared } from '../../src/operations/index.js';
import { subjectOf } from '../../src/rules/activityActions.js';
import type { Json, restPaths, World } from './world.js';

export type Operation = keyof typeof restPaths;

/** The parent of an operation's target, and what makes the operation fail. */
interface Setting {
  company: { companyId: string };
  space: { companyId: string; id: string };
  caller: { id: string };
  /** The caller's level on the target. */
  level?: number;
  /** Whether the target's state forbids the operation. */
  conflict?: boolean;
}

interface OperationUnderTest {
  /** The selection of a GraphQL caller, unless a test has its own. */
  selection: string;
  /** An input, in GraphQL's names, that is valid and names nothing. */
  unknown: Json;
  /** The code of a conflict with the target's state; null if the operation has none. */
  conflict: string | null;
  /** An input, in REST's names, on a new target. */
  input(world: World, setting: Setting): Promise<Json>;
  /** An input, in REST's names, that succeeds and changes nothing. */
  noOp(world: World, setting: Setting): Promise<Json>;
}

/** A hub on which the caller has the level. */
async function hubAt(world: World, { company, space, level = 70 }: Setting) {
  return world.hub(company, { goalId: (await world.goal(space, { companyLevel: 0, spaceLevel: level })).id });
}

/** The activity of a deletion of a file by an operation, which somebody else has built on, or taken back. */
async function deletion(world: World, setting: Setting, { isUndone = false } = {}): Promise<string> {
  const { company, caller, conflict = false } = setting;
  const file = await world.file(await hubAt(world, setting), caller);
  const made = {
    companyId: company.companyId,
    authorId: caller.id,
    fileId: file.id,
    name: file.name,
    origin: 'api',
  } as const;
  const { id } = await world.db.activity.create({ data: { ...made, action: 'resource_hub_file_deleted' } });
  if (isUndone)
    await world.db.activity.create({ data: { ...made, action: 'resource_hub_file_recovered', undoesId: id } });
  else
    await world.sql(
      'UPDATE resource_hub_files SET deleted_at = now(), outcome_activity_id = $3 WHERE company_id = $1 AND id = $2',
      [company.companyId, file.id, conflict ? null : id],
    );
  return id;
}

/** What the suites that try every operation need to know about each. */
export const operationsUnderTest: Record<Operation, OperationUnderTest> = {
  reopenGoal: {
    selection: 'goal { id }',
    unknown: { id: 'unknown' },
    conflict: 'GOAL_ARCHIVED',
    async input(world, { space, level = 70, conflict }) {
      const archivedAt = conflict ? new Date() : null;
      return { id: (await world.closedGoal(space, { companyLevel: 0, spaceLevel: level, archivedAt })).id };
    },
    noOp: async () => ({}),
  },
  deleteResourceHubFile: {
    selection: 'file { id }',
    unknown: { fileId: 'unknown' },
    conflict: null,
    async input(world, setting) {
      return { file_id: (await world.file(await hubAt(world, setting), setting.caller)).id };
    },
    noOp: async () => ({}),
  },
  restoreDocumentVersion: {
    unknown: { documentId: 'unknown', versionNumber: 1, expectedCurrentVersion: 1 },
    selection: 'document { id currentVersion } restoredVersion { id versionNumber }',
    conflict: 'VERSION_CONFLICT',
    async input(world, setting) {
      const { id } = await world.document(await hubAt(world, setting), setting.caller);
      return { document_id: id, version_number: 1, expected_current_version: setting.conflict ? 1 : 3 };
    },
    async noOp(world, setting) {
      const { id } = await world.document(await hubAt(world, setting), setting.caller);
      return { document_id: id, version_number: 3, expected_current_version: 3 };
    },
  },
  recoverResourceHubFile: {
    selection: 'file { id }',
    unknown: { fileId: 'unknown' },
    conflict: null,
    async input(world, setting) {
      const deletedAt = new Date();
      return { file_id: (await world.file(await hubAt(world, setting), setting.caller, { deletedAt })).id };
    },
    noOp: async () => ({}),
  },
  undoChange: {
    selection: 'activity { id }',
    unknown: { activityId: 'unknown' },
    conflict: 'CANNOT_BE_UNDONE',
    input: async (world, setting) => ({ activity_id: await deletion(world, setting) }),
    noOp: async (world, setting) => ({ activity_id: await deletion(world, setting, { isUndone: true }) }),
  },
};

export const operations = Object.keys(operationsUnderTest) as Operation[];

/** What an operation says of itself. */
function declarationOf(operation: Operation) {
  const found = declared.find(({ field }) => field === operation);
  if (!found) throw new Error(`no operation ${operation}`);
  return found;
}

/** The kind of the record that an operation changes; of `undoChange`, of the one in its input here. */
export const recordOf = (operation: Operation) =>
  subjectOf(declarationOf(operation).action ?? 'resource_hub_file_deleted');
