import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.js';
import { capitalized } from '../../operations/declaration.js';
import type { Preview } from '../../operations/operation.js';
import { builder, byKey, keyColumns, rowOf } from '../builder.js';
import { addActivity, isEmpty } from '../changes.js';
import { ResourceHubFile } from './filesAndDocuments.js';
import { readWithPath } from './nodes.js';

/** What a mutation of a file would do: the descriptions are of its fields. */
export const filePreview = (mutation: string, { wouldChange, file }: { wouldChange: string; file: string }) =>
  builder.objectRef<Preview>(`${capitalized(mutation)}Preview`).implement({
    description: `What \`${mutation}\` would currently do.`,
    fields: (t) => ({
      wouldChange: t.exposeBoolean('wouldChange', { description: wouldChange }),
      file: t.field({
        type: ResourceHubFile,
        nullable: true,
        description: file,
        resolve: ({ record }, _args, context, info) =>
          record && context.db.resourceHubFile.findUniqueOrThrow(rowOf(context, info, record.id)),
      }),
    }),
  });

/** The payload of a mutation: a variant of the file, so that one query, which goes with the change, loads all of it. */
export function filePayload(mutation: string, description: string) {
  const payload = builder.prismaObject('ResourceHubFile', {
    ...byKey,
    variant: `${capitalized(mutation)}Payload`,
    description: `The result of \`${mutation}\`.`,
    fields: (t) => ({ file: t.variant(ResourceHubFile, { isNull: isEmpty, description }) }),
  });
  addActivity(payload);
  return payload;
}

/** Reads the file of such a payload. */
export const readFile =
  (context: Context, info: GraphQLResolveInfo) =>
  (db: Context['db'], id: string, folderId: string | null = null) => {
    const query = rowOf(context, info, id, { select: keyColumns });
    return readWithPath(db.resourceHubFile.findUnique(query), { db, actor: context.actor, info }, folderId);
  };
