import type { Deprecation } from './deprecation.js';

/** A path of the REST facade and the GraphQL mutation it stands for: one root field with one argument, `input`. */
export interface StoredMutation {
  path: string;
  /** What the operation does, such as `Reopen a goal`. */
  title: string;
  document: string;
  /** Whether this gateway adds it to the documented paths. */
  isAddition?: true;
  deprecated?: Deprecation;
  example: MutationExample;
}

/** An input of an operation, in GraphQL's names. */
export type ExampleInput = Record<string, unknown>;

/** Runs a query as the caller of the examples and returns its data, which lacks what failed. */
export type LookUp = <Found extends object>(query: string) => Promise<Partial<Found>>;

/** An input on records that exist, and what people call it. */
export interface Choice {
  label: string;
  input: ExampleInput;
}

/** An example call for any workspace. */
interface MutationExample {
  /** Comment lines that explain the call. */
  about: string[];
  /** The input with placeholders, where no records are known. */
  input: ExampleInput;
  /** What the caller may change, the best example first. Each of its queries is within the query limits. */
  choices(lookUp: LookUp): Promise<Choice[]>;
  /** What the GraphQL example selects of the payload. */
  selection: string;
  /** A query for what the call would do. Its variables are the fields of the input. */
  preview?: string | undefined;
  next: NextStep;
}

/** The same where clients may send no query of their own. */
export const withoutPreview = (stored: StoredMutation): StoredMutation => ({
  ...stored,
  example: { ...stored.example, preview: undefined },
});

/** What the pages offer after the call. */
export interface NextStep {
  label: string;
  /** The mutation field of the next call. */
  name: string;
  /** Fields of the next input, and the fields of this one that have their values. */
  from: Record<string, string>;
}
