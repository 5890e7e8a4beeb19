import type { Context } from '../context.js';
import type { ActivityAction } from '../generated/client/enums.js';
import type { Sql } from '../platform/postgres/index.js';
import type { ActionFacts } from '../rules/activityActions.js';
import type { Columns } from './operation.js';

/** What an inverse is made of: whose name it has, the record, and how that is changed. */
export interface Undone {
  companyId: string;
  authorId: string;
  subjectId: string;
  /** The step `record(id, name, at)` that changes the record `r`, from the step `before`, which is the activity. */
  change: (changes: Sql, from?: Sql, more?: Sql) => Sql;
}

/** What takes an operation back: the action that this is, and its steps after `before`, the last of them `record`, or `version`. */
export interface Inverse {
  action: ActivityAction;
  steps: (undone: Undone) => Sql;
  /** What a reader of the record would see changed, if the change of this activity were taken back. */
  changes: (context: Context, activityId: string) => Promise<Columns>;
  hasVersion?: true;
  /** The condition on the row `r` that the record can be changed back, if it is not the one of its kind. */
  isOpen?: Sql;
}

/** What an operation says of itself. Whatever lists operations, or their actions, derives it from this. */
interface Declaration<Field extends string, Action extends ActivityAction> {
  /** Its field in GraphQL; in snake_case its scope, and its tool for agents. */
  field: Field;
  /** What it does, such as `Reopen a goal`. */
  title: string;
  /** Whether this gateway adds it to the documented operations. */
  isAddition?: true;
  /** The action of the activity that it records; null if that depends on what it is given. */
  action: NoInfer<Action> | null;
  /** That action, and any that only its undoing records: their names begin with the kind of the record. */
  actions: Record<Action, ActionFacts>;
  /** What takes back a change that it made, or why nothing can. */
  undo: Inverse | { cannotBeTakenBack: string };
  /** Actions, whoever recorded them, that it is the way back from. */
  reverses?: readonly ActivityAction[];
  /** Its path below the root of the API, and what REST returns, with the fragments in `rest/fragments.graphql`. */
  rest: {
    path: string;
    selection: string;
    /** A request on the records of the demo, for pages and contracts, which have the response as `npm run schema` records it. */
    example?: Record<string, unknown>;
  };
  /** What its tool returns besides the activity, with the fragments in `mcp/documents.graphql`. */
  tool: { isDestructive: boolean; selection: string };
  /** What agents get of the preview, and that in a sentence for who approves it, with values of the selection in braces. */
  preview: { selection: string; sentence: string /** Why it may change nothing. */; unchanged?: string };
}

/** Keeps the names in the type, so that an action that nobody describes does not compile. */
export const declare = <const Field extends string, const Action extends ActivityAction>(
  declaration: Declaration<Field, Action>,
): Declaration<Field, Action> => declaration;

/** `reopenGoal` -> `ReopenGoal`, as the types of a field begin. */
export const capitalized = (field: string) => field.charAt(0).toUpperCase() + field.slice(1);

/** The query that shows what the mutation `reopenGoal` would do: `previewReopenGoal`. */
export const previewOf = (field: string) => `preview${capitalized(field)}`;
