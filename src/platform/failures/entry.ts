/** As long as the longest id that an import takes, so that every id that may exist is quoted whole. */
const longestQuote = 200;

/** What a caller sent, for a message: its first characters, so that no response grows with what it quotes. */
export const shortened = (text: string, longest = longestQuote): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;

/** The same in quotation marks. */
export const quoted = (text: string): string => JSON.stringify(shortened(text));

/** JSON Schema of a member of a problem. Names are GraphQL's; REST spells them in snake_case. */
export interface MemberSchema {
  type: 'string' | 'integer' | 'object' | 'array';
  description: string;
  enum?: readonly string[];
  format?: string;
  items?: MemberSchema;
  properties?: Readonly<Record<string, MemberSchema>>;
}

/** One way a request can fail, worded from the facts of the case. */
export interface Entry<Facts extends object = object> {
  status: number;
  title: string;
  /** What it means and what to do about it, for the reader of its page. */
  meaning: string;
  remedy: string;
  /** The wording of `detail`, which is the message in GraphQL. */
  detail(facts: Facts): string;
  headers?(facts: Facts): Record<string, string>;
  /** The facts of the documented example. A test provokes exactly this failure. */
  example: Facts;
  /** The same for GraphQL, where it cannot fail with the facts of REST. */
  graphqlExample?: Facts;
  /** Facts that a program needs; always in the response. */
  members?: Readonly<Record<string, MemberSchema>>;
  /** Facts that are in the response when they are known. */
  optionalMembers?: Readonly<Record<string, MemberSchema>>;
  /**
   * Where it occurs, if not with every operation of both surfaces: `declared` by the operations that name it in
   * `extensions.errors`; with the wrong `method` of a path; in `graphql` only.
   */
  occurs?: 'declared' | 'method' | 'graphql';
  /** GraphQL responds with a problem too, because the client accepts no GraphQL response. */
  alwaysProblem?: true;
}

export const entry = <Facts extends object>(given: Entry<Facts>): Entry<Facts> => given;

/** A number of seconds as a reader says it. */
export const inSeconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`);
