export interface Column {
  /** Its name in the database. */
  name: string;
  /** As in Prisma; `Enum` for an enum; `Other` for what the reader leaves to Prisma, such as lists. */
  type: string;
  isNullable: boolean;
  /** Those of an enum. */
  values?: string[];
}

export interface Relation {
  model: string;
  isList: boolean;
  isNullable: boolean;
  /** The fields that are equal here and there. */
  on: [here: string, there: string][];
}

/** A model as prisma/readerModels.mjs writes it. Everything but `table` and a column's `name` is named as in Prisma. */
export interface Model {
  table: string;
  /** The fields of its key. */
  key: string[];
  uniques: Record<string, string[]>;
  columns: Record<string, Column>;
  relations: Record<string, Relation>;
}

export type Models = Record<string, Model>;
