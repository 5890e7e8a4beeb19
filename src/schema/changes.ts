import type { InputFieldMap, InputShapeFromFields, ObjectRef, OutputRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.js';
import { capitalized, previewOf } from '../operations/declaration.js';
import type { NamedRecord, Preview } from '../operations/operation.js';
import type { ErrorCode, FieldError } from '../platform/failures/index.js';
import { expectsNothing, preconditionHeader } from '../platform/http/index.js';
import { keyOf } from '../policies/access.js';
import { builder, rowOf, storableId } from './builder.js';
import { Activity, type ActivitySubject, subjects } from './events/activity.js';
import { plannedQuery } from './plans.js';

/** What the description of the record in a payload says of such a call. */
export const nullWithoutId = 'Null if no ID was given: then nothing has changed.';

export type InputFields = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]>['fields']>[0];

/** The input field that names the record: optional, as the contract wants. An agent must give it, and reads `about`. */
export const recordToChange = (t: InputFields, about: string, record: string) =>
  t.id({
    required: false,
    description: `${about} If it is null or absent, the call succeeds, changes nothing and returns \`${record}: null\`.`,
    extensions: { namesRecord: about },
  });

/** The field of an input with which a mutation says what it expects. REST has a header for it. */
const expectedState = (t: InputFields) => ({
  expectedState: t.string({
    required: false,
    description:
      'The `state` of a preview of this change: in another state, the request fails with STATE_CHANGED. Null is like absent.',
    extensions: { maxLength: 100, header: preconditionHeader },
  }),
});

const stateDescription =
  'What the change depends on: sent as `expectedState` of the input, or as `If-Match` in REST, it does what this preview shows or fails. Null if no ID was given.';

/** How a root field may fail, in the order of the checks: for its description, and for those who say it in another way. */
const failsWith = (errors: readonly ErrorCode[], about: string, extensions: Record<string, unknown> = {}) => ({
  description: `${about} Errors: ${errors.join(', ')}.`,
  extensions: { ...extensions, about, errors },
});

interface PreviewOptions<Fields extends InputFieldMap> {
  /** The type of the record that the mutation changes. */
  record: ObjectRef<typeof builder.$inferSchemaTypes, unknown> | typeof ActivitySubject;
  fields: (t: InputFields) => Fields;
  input?: string;
  errors?: readonly ErrorCode[];
  extensions?: Record<string, unknown>;
}

/** The record as it would be: what a reader sees of it, but what follows in other rows. */
async function recordAfter(context: Context, info: GraphQLResolveInfo, { record, wouldChange, changes }: Preview) {
  if (!record) return null;
  const { db, actor } = context;
  // The models differ in their columns only.
  const { model, type } = subjects[record.kind] as typeof subjects.goal;
  const query = plannedQuery(context, info, { typeName: type.name });
  const row = await db[model].findUnique({ ...query, where: keyOf(actor, record.id) });
  const changed: Record<string, unknown> = wouldChange ? { ...changes } : {};
  for (const [column, id] of Object.entries(changed).filter(([name]) => name.endsWith('ById')))
    changed[column.slice(0, -2)] = id && (await db.person.findUnique({ where: keyOf(actor, String(id)) }));
  return row && type.addBrand({ ...row, ...changed });
}

/** The root field that previews a mutation: its input is that of the mutation, without what the preview says. */
export function previewField<Fields extends InputFieldMap, Previewed extends Preview>(
  mutation: string,
  type: ObjectRef<typeof builder.$inferSchemaTypes, Previewed>,
  {
    record,
    fields,
    input: about = 'The input to preview.',
    errors = ['NOT_FOUND', 'FORBIDDEN'],
    extensions = {},
  }: PreviewOptions<Fields>,
  preview: (context: Context, input: InputShapeFromFields<Fields>) => Promise<Previewed>,
): void {
  const name = previewOf(mutation);
  const Input = builder.inputType(`${capitalized(name)}Input`, {
    description: `The input of \`${name}\`: that of \`${mutation}\`, without what the preview says.`,
    fields,
  });
  builder.objectFields(type, (t) => ({
    state: t.string({ nullable: true, description: stateDescription, resolve: ({ state }) => state }),
    after: t.field({
      type: record,
      nullable: true,
      description:
        'The record as it would be after the change. Its lists, numbers and the time of its last update are the current ' +
        'ones. Null if no ID was given.',
      resolve: (previewed, _args, context, info) => recordAfter(context, info, previewed),
    }),
  }));
  builder.queryField(name, (t) =>
    t.field({
      type: type as ObjectRef<typeof builder.$inferSchemaTypes, object>,
      nullable: true,
      ...failsWith(
        errors,
        `Previews what \`${mutation}\` would do, without changing anything; a read-only token can run it. Requires edit access.`,
        extensions,
      ),
      args: { input: t.arg({ type: Input, required: true, description: about }) },
      resolve: (_root, args, context) => preview(context, (args as { input: InputShapeFromFields<Fields> }).input),
    }),
  );
}

/** Whether the input named no record. */
export const isEmpty = (payload: object) => !('id' in payload);

interface MutationOptions<Fields extends InputFieldMap> {
  payload: OutputRef<unknown>;
  description: string;
  extensions: Record<string, unknown>;
  fields: (t: InputFields) => Fields;
  /** What the argument `input` is. */
  input: string;
  /** What else is said of its type. */
  ofInput?: string;
}

/** A root field that changes something, with an input of a type of its own. */
export function mutationField<Fields extends InputFieldMap>(
  mutation: string,
  { payload, description, extensions, fields, input, ofInput = '' }: MutationOptions<Fields>,
  run: (context: Context, input: InputShapeFromFields<Fields>, info: GraphQLResolveInfo) => Promise<object>,
): void {
  const Input = builder.inputType(`${capitalized(mutation)}Input`, {
    description: `The input of \`${mutation}\`.${ofInput}`,
    fields,
  });
  builder.mutationField(mutation, (t) =>
    t.field({
      type: payload as OutputRef<object>,
      description,
      extensions,
      args: { input: t.arg({ type: Input, required: true, description: input }) },
      resolve: (_root, args, context, info) =>
        run(context, (args as { input: InputShapeFromFields<Fields> }).input, info),
    }),
  );
}

interface OperationOptions<Fields extends InputFieldMap>
  extends Pick<MutationOptions<Fields>, 'payload' | 'fields' | 'input'> {
  /** What it does. */
  about: string;
  /** How it may fail, besides that the state is another. */
  errors?: readonly ErrorCode[];
  /** The record that it changes, if its input names one. */
  kind: NamedRecord['kind'];
  idOf: (input: InputShapeFromFields<Fields>) => string | null | undefined;
}

/** The root field of an operation: its input also has the state that its caller expects. */
export function operationField<Fields extends InputFieldMap>(
  mutation: string,
  { about, errors = ['NOT_FOUND', 'FORBIDDEN'], kind, idOf, fields, ...options }: OperationOptions<Fields>,
  run: (
    context: Context,
    input: InputShapeFromFields<Fields>,
    expectedState: string | null | undefined,
    info: GraphQLResolveInfo,
  ) => Promise<{ record?: object | null; activityId: string | null }>,
): void {
  type Input = InputShapeFromFields<Fields> & { expectedState?: string | null };
  const extensions = {
    changes: ({ input }: { input: Input }): NamedRecord | undefined => {
      const id = idOf(input);
      return id == null ? undefined : { kind, id: storableId(id) };
    },
    check: ({ input }: { input: Input }): FieldError[] =>
      input.expectedState != null && idOf(input) == null
        ? [{ field: 'input.expectedState', code: 'invalid', message: expectsNothing }]
        : [],
  };
  mutationField(
    mutation,
    {
      ...options,
      ...failsWith([...errors, 'STATE_CHANGED'], `${about} Requires edit access.`, extensions),
      fields: (t) => ({ ...fields(t), ...expectedState(t) }),
    },
    async (context, given: object, info) => {
      const { expectedState: state, ...input } = given as Input;
      const { record, activityId } = await run(context, input as InputShapeFromFields<Fields>, state, info);
      return { ...record, activityId };
    },
  );
}

/** Gives a mutation's payload the activity that the call made. The mutation returns its `activityId`, or null. */
export const addActivity = (payload: Parameters<typeof builder.objectField>[0]) => {
  builder.objectField(payload, 'hasChanged', (t) =>
    t.boolean({
      description:
        'Whether this call changed anything. If false, nothing of its input has had an effect: no message was posted, and nobody subscribed or notified.',
      resolve: ({ activityId }: { activityId: string | null }) => activityId !== null,
    }),
  );
  builder.objectField(payload, 'activity', (t) =>
    t.field({
      type: Activity,
      nullable: true,
      description: 'The activity that this call recorded. Null if it changed nothing.',
      resolve: ({ activityId }: { activityId: string | null }, _args, context, info) =>
        activityId === null ? null : context.db.activity.findUniqueOrThrow(rowOf(context, info, activityId)),
    }),
  );
};
