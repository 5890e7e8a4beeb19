import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Context } from '../context.js';
import type PrismaTypes from '../database/generated/pothos.js';
import { getDatamodel } from '../database/generated/pothos.js';
import type { Transaction } from '../database/query/client.js';
import './loadedFields.js';
import './storableIds.js';

export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Date: { Input: Date; Output: Date };
    BigInt: { Input: bigint; Output: bigint };
  };
}>({
  plugins: ['storableIds', 'loadedFields', PrismaPlugin],
  defaultFieldNullability: false,
  // Of a client, Pothos calls `findUniqueOrThrow`, for a row that it has not planned to load, and never `$connect`.
  prisma: {
    client: ({ db }) => db as Transaction & { $connect(): Promise<void> },
    dmmf: getDatamodel(),
    filterConnectionTotalCount: true,
  },
});
