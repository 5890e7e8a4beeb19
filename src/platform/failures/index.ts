import { STATUS_CODES } from 'node:http';
import { GraphQLError } from 'graphql';

/** As long as the longest id that an import takes, so that every id that may exist is quoted whole. */
const longestQuote = 200;

/** What a caller sent, for a message: its first characters, so that no response grows with what it quotes. */
export const shortened = (text: string, longest = longestQuote): string =>
  text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;

/** The same in quotation marks. */
export const quoted = (text: string): string => JSON.stringify(shortened(text));

/** JSON Schema of a member of a problem. Names are GraphQL's; REST spells them in snake_case. */
export interface MemberSchema {
  type: 'string' | 'integer' | 'boolean' | 'object' | 'array';
  description: string;
  enum?: readonly string[];
  /** Values that only GraphQL has, and what they say. */
  ofGraphql?: { values: readonly string[]; description: string };
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
  /** Where it occurs, if not everywhere: where an operation declares it, with a wrong `method`, or in `graphql` only. */
  occurs?: 'declared' | 'method' | 'graphql';
  /** It occurs before the path is known, so that GraphQL responds with a problem too. */
  alwaysProblem?: true;
  /**
   * The request is refused as such, before its operation. GraphQL then keeps the status for clients that accept only
   * plain JSON, which get 200 and `errors` for what fails while it executes.
   */
  refusesRequest?: true;
}

export const entry = <Facts extends object>(given: Entry<Facts>): Entry<Facts> => given;

export const inSeconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`);

/** What each code is worded from. The catalogue declares it. @public */
// biome-ignore lint/suspicious/noEmptyInterface: the catalogue declares on
export interface FactsByCode {}

export type ErrorCode = keyof FactsByCode & string;

type FactsOf<Code extends ErrorCode> = FactsByCode[Code];

let catalogue: Readonly<Record<ErrorCode, Entry>>;

/** Makes the product's catalogue known: once, where it is defined, before anything can fail. */
export function registerCatalogue(entries: Readonly<Record<ErrorCode, Entry>>): void {
  catalogue = entries;
}

/** Whether it is a code of the catalogue: everything else is an unexpected error. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(catalogue, code);

/** The HTTP status of a code; undefined if there is no such code. */
export const statusOfCode = (code: unknown): number | undefined =>
  isErrorCode(code) ? catalogue[code].status : undefined;

/** One invalid field of the request: where, which rule it breaks, and what to send instead. */
export type FieldError = FactsOf<'BAD_USER_INPUT'>['errors'][number];

type Given<Code extends ErrorCode> =
  FactsOf<Code> extends Record<string, never>
    ? []
    : object extends FactsOf<Code>
      ? [facts?: FactsOf<Code>]
      : [facts: FactsOf<Code>];

/** An expected failure. The catalogue words it from its facts, and the response has those that it declares as members. */
export function failure<Code extends ErrorCode>(code: Code, ...given: Given<Code>): GraphQLError {
  const [facts = {}]: [facts?: object] = given;
  const { status, detail, headers, members, optionalMembers } = catalogue[code];
  const declared = { ...members, ...optionalMembers };
  const shown = Object.fromEntries(Object.entries(facts).filter(([name]) => name in declared));
  const extensions = { code, ...shown, http: { status, headers: headers?.(facts) ?? {} } };
  const message = detail(facts);
  return withoutStack(() => new GraphQLError(message, { extensions }));
}

/** Makes an error without its stack, which nobody reads if the error is expected and which costs more than the rest. */
export function withoutStack<Made extends Error>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The most bad fields that the response to one request names. Whoever looks for them may stop once there are more. */
export const mostNamed = 100;

/** Counts the bad fields that several failures of one request have named. */
export interface NamedFields {
  namedFields?: number;
}

/**
 * BAD_USER_INPUT. Names the bad fields up to `mostNamed`, and says in a last entry that there are more. Several failures
 * of one request, which its context stands for, share that number, but each names at least one field.
 */
export function badInput(errors: FieldError[], context: NamedFields = {}): GraphQLError {
  const { namedFields = 0 } = context;
  const named = errors.slice(0, Math.max(mostNamed - namedFields, 1));
  context.namedFields = namedFields + named.length;
  return failure('BAD_USER_INPUT', { errors: named.length < errors.length ? [...named, more] : named });
}

/** The last entry where there are more. */
export const more: FieldError = {
  field: '',
  code: 'too_many',
  message: 'there are more invalid fields than are named',
};

/** NOT_FOUND of a record: what it is, and its id. */
export const notFound = (what: string, id: string) => failure('NOT_FOUND', { what, id });

/** The media type of a problem. */
export const problemType = 'application/problem+json';

/** A failure as an RFC 9457 problem. `type` is the page of the code, absolute if `publicUrl` is known. */
export function problemOf(error: GraphQLError, requestId: string, publicUrl = '') {
  const { code: given, http: _, ...members } = error.extensions;
  const code = typeof given === 'string' ? given : 'INTERNAL_SERVER_ERROR';
  const known = isErrorCode(code) ? catalogue[code] : undefined;
  const status = statusOf(error) ?? known?.status ?? 500;
  const [type, title] = known
    ? [`${publicUrl}/errors/${code}`, known.title]
    : ['about:blank', STATUS_CODES[status] ?? 'Refused'];
  return { type, title, status, detail: error.message, code, requestId, ...members };
}

/** The HTTP status that an error says. */
export function statusOf({ extensions: { http } }: GraphQLError): number | undefined {
  const { status } = (http ?? {}) as { status?: unknown };
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600 ? Number(status) : undefined;
}

/** Whether it refuses the request as such, before its operation. */
export const refusesRequest = ({ extensions: { code } }: GraphQLError) =>
  isErrorCode(code) && catalogue[code].refusesRequest === true;

/** The headers a failure comes with, such as `WWW-Authenticate` or `Allow`. */
export function headersOf(error: GraphQLError): Record<string, string> {
  const http = error.extensions.http as { headers?: Record<string, string> } | undefined;
  return http?.headers ?? {};
}
