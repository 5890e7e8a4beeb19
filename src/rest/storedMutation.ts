/** A path of the REST facade and the GraphQL mutation it stands for: one root field with one argument, `input`. */
export interface StoredMutation {
  path: string;
  /** What the operation does, such as `Reopen a goal`. */
  title: string;
  document: string;
  /** Whether this gateway adds it to the documented paths. */
  isAddition?: true;
  example: MutationExample;
}

/** An example call for any workspace. */
interface MutationExample {
  /** Comment lines that explain the call. */
  about: string[];
  /** A query that finds records for the call. */
  lookUp: string;
  /** The input, in GraphQL's names, on the records that `lookUp` found; with placeholders where none was found. */
  input(found: object): Record<string, unknown>;
  /** What the GraphQL example selects of the payload. */
  selection: string;
}
