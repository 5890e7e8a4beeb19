import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import {
  buildSchema,
  type ExecutionResult,
  execute as executeAsGraphqlJs,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  responsePathAsArray,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { execute } from '../../../src/platform/graphql/executor.js';
import { type Known, randomRequest } from '../../support/randomQueries.js';
import { seedOf } from '../../support/seedOf.js';
import { timeLimit } from '../../support/timeLimit.js';
import { validDocument } from '../../support/validDocument.js';

const count = Number(process.env.EXECUTIONS ?? 1_000);
const seed = seedOf('EXECUTIONS_SEED');

/** Every kind of field: what may be null or not, lists of each, abstract types, arguments. */
const schema = buildSchema(`
  type Query { thing(id: ID): Thing thingNeeded: Thing! record: Record things(first: Int): [Thing] either: [Either!] }
  type Mutation { first(input: Int): Record second: Thing! third: [Record!]! }
  interface Thing { id: ID! name: String thing: Thing records: [Record!] }
  type Record implements Thing {
    id: ID! name: String neededName: String! kind: Kind kinds: [Kind!]! thing: Thing records: [Record!]
    needed: Record! lists: [[Int]!] list(first: Int, text: String = "all"): [Record!]! holes: [Record]! either: Either
  }
  type Other implements Thing { id: ID! name: String thing: Thing records: [Record!] number: Float! wrong: Int }
  union Either = Record | Other
  enum Kind { ONE TWO }
`);

/** The nature of what a field returns, which its path decides. */
type Nature = 'value' | 'promise' | 'late' | 'null' | 'thrown' | 'rejected' | 'error' | 'unusable';

interface Options {
  salt: string;
  /** How many of a hundred values fail. */
  failing: number;
  /** Whether nothing is a promise. */
  isAtOnce: boolean;
  promisedItems: boolean;
  /** A list has fewer items. */
  tooMany?: number;
}

/** The values of one request: the same for whoever executes it. */
class Values {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  #draw(place: string, below: number): number {
    return createHash('md5').update(`${this.#options.salt} ${place}`).digest().readUInt32BE() % below;
  }

  #natureOf(place: string): Nature {
    const { failing, isAtOnce } = this.#options;
    const usual: Nature[] = isAtOnce ? ['value'] : ['value', 'value', 'promise', 'late'];
    const failures: Nature[] = ['null', 'thrown', 'error', 'unusable', isAtOnce ? 'null' : 'rejected'];
    const natures = this.#draw(place, 100) < failing ? failures : usual;
    return natures[this.#draw(`nature ${place}`, natures.length)] as Nature;
  }

  resolve(args: object, { path, returnType }: GraphQLResolveInfo): unknown {
    return this.#value(returnType, `${responsePathAsArray(path).join('.')} ${JSON.stringify(args)}`);
  }

  #value(type: GraphQLOutputType, place: string): unknown {
    const nature = this.#natureOf(place);
    const error = new Error(`${nature} at ${place}`);
    if (nature === 'null') return null;
    if (nature === 'error') return error;
    if (nature === 'unusable') return { toString: () => 'unusable' };
    if (nature === 'thrown') throw error;
    if (nature === 'rejected') return Promise.reject(error);
    const value = this.#present(type, place);
    if (nature === 'late') return setImmediate(value);
    return nature === 'promise' ? Promise.resolve(value) : value;
  }

  #present(type: GraphQLOutputType, place: string): unknown {
    if (isNonNullType(type)) return this.#present(type.ofType, place);
    if (isListType(type)) {
      const size = this.#draw(`size ${place}`, this.#options.tooMany ?? 4);
      return Array.from({ length: size }, (_, index) => this.#item(type.ofType, `${place}.${index}`));
    }
    const named = getNamedType(type);
    if (isObjectType(named)) return {};
    if (isAbstractType(named)) return { kind: ['Record', 'Other'][this.#draw(`type ${place}`, 2)] };
    return { Kind: 'ONE', Int: 1, Float: 1.5 }[named.name] ?? `text at ${place}`;
  }

  /** For graphql-js all are promises: if one fails at once, it leaves the rejections of those before it unhandled. */
  #item(type: GraphQLOutputType, place: string): unknown {
    const item = ['thrown', 'rejected'].includes(this.#natureOf(place)) ? null : this.#value(type, place);
    return this.#options.promisedItems ? Promise.resolve(item) : item;
  }
}

for (const type of Object.values(schema.getTypeMap())) {
  if (isAbstractType(type)) type.resolveType = ({ kind }: { kind?: string }) => kind ?? 'Missing';
  if (!isObjectType(type) || type.name.startsWith('__')) continue;
  for (const field of Object.values(type.getFields())) {
    field.resolve = (_object, args, values: Values, info) => values.resolve(args, info);
  }
}

const known: Known = { ids: ['a', 'b'], cursors: ['c'] };

/** The words are the same where they are a resolver's. */
const shown = ({ data, errors = [] }: ExecutionResult) => ({
  data: JSON.parse(JSON.stringify(data ?? null)),
  errors: errors.map(({ path, locations, message }) => ({ path, locations, message: / at /.exec(message) && message })),
});

/** Which values are null because something failed. Of several failures, which are reported depends on which is first. */
function nullsOf({ data, errors }: ReturnType<typeof shown>): string[] {
  const nulls = errors.map(({ path = [] }) => {
    let value = data;
    const end = path.findIndex((key) => {
      if (value !== null) value = value[key];
      return value === null;
    });
    return path.slice(0, data === null ? 0 : end + 1).join('.');
  });
  return [...new Set(nulls)].sort();
}

describe('the executor', () => {
  test.each([
    ['query', true],
    ['query', false],
    ['mutation', true],
    ['mutation', false],
  ] as const)(
    `responds to a %s as graphql-js, with resolvers that respond at once: %s (EXECUTIONS_SEED=${seed})`,
    async (kind, isAtOnce) => {
      let failures = 0;
      const property = fc.asyncProperty(fc.gen(), fc.uuid(), fc.nat(10), async (draw, salt, failing) => {
        const { query, variables } = randomRequest(schema, known, kind, draw);
        const document = validDocument(schema, query);
        if (!document) return;
        const run = async (by: typeof execute | typeof executeAsGraphqlJs, promisedItems: boolean) => {
          const contextValue = new Values({ salt, failing, isAtOnce, promisedItems });
          return shown(await by({ schema, document, variableValues: variables, contextValue }));
        };
        const expected = await run(executeAsGraphqlJs, !isAtOnce);
        failures += expected.errors.length;
        for (const _ of [1, 2, 3]) {
          const result = await run(execute, false);
          expect(result.data).toEqual(expected.data);
          expect(nullsOf(result)).toEqual(nullsOf(expected));
          if (isAtOnce) expect(result.errors).toEqual(expected.errors);
        }
      });
      await fc.assert(property, { seed, numRuns: count, ...timeLimit(30_000 + count * 100) });
      expect(failures).toBeGreaterThan(count / 10);
    },
    60_000 + count * 100,
  );

  test('reports the errors of a response that takes several turns in the order of graphql-js, and no others', async () => {
    const document = parse(`{
      things { name records { id neededName kinds } other: name thing { records { id name } name } }
      either { ... on Record { id list { id neededName } lists needed { records { name } neededName } } ... on Other { number } }
      more: things { records { thing { records { id } } name } }
    }`);
    let errors = 0;
    for (let salt = 0; salt < 6; salt += 1) {
      const options = { salt: `${salt}`, failing: salt % 3, isAtOnce: true, promisedItems: false, tooMany: 25 };
      const expected = shown(await executeAsGraphqlJs({ schema, document, contextValue: new Values(options) }));
      errors += expected.errors.length;
      expect(shown(await execute({ schema, document, contextValue: new Values(options) }))).toEqual(expected);
    }
    expect(errors).toBeGreaterThan(100);
  });
});
