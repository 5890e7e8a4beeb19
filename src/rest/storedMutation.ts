/** A path of the REST facade and the GraphQL mutation it stands for: one root field with one argument, `input`. */
export interface StoredMutation {
  path: string;
  /** What it does, in the imperative. */
  title: string;
  document: string;
  /** Whether it is our own addition to the documented paths. */
  isAddition?: true;
  example: MutationExample;
}

/** One call worth trying, on whatever workspace the caller sees. */
interface MutationExample {
  /** Lines that explain it to whoever is about to run it. */
  about: string[];
  /** A query for what the call can work on now. */
  lookUp: string;
  /** The input, in GraphQL's names, for the data of `lookUp`; with placeholders for what was not found. */
  input(found: object): Record<string, unknown>;
  /** What the GraphQL form of the example selects of the payload. */
  selection: string;
}
