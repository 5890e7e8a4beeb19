import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql';
import type { Json } from './world.js';

export interface RandomRequest {
  query: string;
  variables: Record<string, Json>;
}

/** What exists, for arguments that find something. */
export interface Known {
  ids: readonly string[];
  cursors: readonly string[];
}

type Draw = fc.GeneratorValue;
type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type'>;
type Composite = GraphQLObjectType | GraphQLInterfaceType | GraphQLUnionType;

const levels = 6;

const maximumAliases = 25;

const integers = { good: [1, 2, 3, 4], bad: [0, -1, 101, 2_147_483_647, -2_147_483_648] };
const sizes = { good: [10, 3, 1, 20], bad: [-1, 101] };
const texts = {
  good: ['goal', 'plan', '%_\\'],
  bad: ['', '  ', '\u0000', '\ud835\udcb3', '\ud800', '"', 'x'.repeat(300)],
};
const badIds = ['unknown', '', '\u0000', '0'];
const wrong: Json[] = [{}, [], 'x', 1.5, true, 2 ** 53];

const isConnection = ({ args }: GraphQLField<unknown, unknown>) => args.some(({ name }) => name === 'first');

/** Whether the field may be null, or else an object with lists of its own, which are loaded after the object. */
function isDetour({ type }: GraphQLField<unknown, unknown>): boolean {
  return isObjectType(type) && Object.values(type.getFields()).some(isConnection);
}

/** Lists, and what leads to them, rather than scalars: there things are pending while others fail. */
function weightOf(field: GraphQLField<unknown, unknown>): number {
  if (isConnection(field)) return 25;
  if (isDetour(field) || ['nodes', 'totalCount'].includes(field.name)) return 10;
  return isCompositeType(getNamedType(field.type)) ? 3 : 1;
}

// Evenly, as fast-check would prefer the smallest and the largest.
const below = (count: number) => fc.noBias(fc.nat({ max: count - 1 }));

/** Draws a request that is valid for the schema, apart from the values of its arguments: some are good, some bad. */
export function randomRequest(
  schema: GraphQLSchema,
  known: Known,
  kind: 'query' | 'mutation',
  draw: Draw,
): RandomRequest {
  const variables: Record<string, Json> = {};
  const definitions: string[] = [];
  let aliases = 0;

  const pick = <T>(values: readonly T[]): T => values[draw(below, values.length)] as T;
  const chance = (percent: number) => draw(below, 100) >= 100 - percent;
  const some = <T>(values: readonly T[], most: number): T[] =>
    values.length === 0 ? [] : Array.from({ length: 1 + draw(below, most) }, () => pick(values));

  function selection(type: Composite, left: number, inFragment: boolean): string {
    const own = 'getFields' in type ? Object.values(type.getFields()) : [];
    const fields = own.filter(({ type: of }) => left > 1 || isLeafType(getNamedType(of)));
    const chosen = some(
      fields.flatMap((field) => Array(weightOf(field)).fill(field)),
      4,
    );
    const seen = new Set<string>();
    const selected = chosen.flatMap((field) => {
      const needsAlias = inFragment || seen.has(field.name);
      seen.add(field.name);
      if (needsAlias && aliases >= maximumAliases) return [];
      return [`${needsAlias ? `a${aliases++}: ` : ''}${fieldText(field, left)}`];
    });
    const fragments = isAbstractType(type)
      ? some(schema.getPossibleTypes(type), 4).map((of) => `... on ${of.name} { ${selection(of, left, true)} }`)
      : [];
    return ['__typename', ...selected, ...fragments].join(' ');
  }

  function fieldText({ name, args, type }: GraphQLField<unknown, unknown>, left: number): string {
    const given = args.filter((argument) => isNonNullType(argument.type) || chance(argument.name === 'first' ? 60 : 5));
    const values = given.map((argument) => `${argument.name}: ${argumentText(argument, left === levels ? 5 : 30)}`);
    const inner = getNamedType(type);
    const body = isCompositeType(inner) ? ` { ${selection(inner, left - 1, false)} }` : '';
    return `${name}${values.length > 0 ? `(${values.join(', ')})` : ''}${directive()}${body}`;
  }

  function directive(): string {
    if (!chance(2)) return '';
    const name = variable('Boolean = false', chance(2) ? null : chance(50));
    return ` @skip(if: ${name})`;
  }

  /** `odds`: of a bad value, in percent. */
  function argumentText(input: Input, odds: number): string {
    if (!chance(20)) return literal(input.type, value(input, odds));
    const { type } = input;
    // A variable with a default may stand for a required argument, and be null.
    if (chance(odds)) return variable(`${getNullableType(type)} = ${literal(type, value(input, odds))}`, null);
    return variable(String(type), chance(odds / 2) ? pick(wrong) : value(input, odds));
  }

  function variable(definition: string, given: Json): string {
    const name = `v${definitions.length}`;
    definitions.push(`$${name}: ${definition}`);
    if (given !== null || chance(80)) variables[name] = given;
    return `$${name}`;
  }

  function value({ name, type }: Input, odds: number): Json {
    if (!isNonNullType(type) && chance(10)) return null;
    const nullable: GraphQLInputType = getNullableType(type);
    if (isListType(nullable)) return some([0, 1, 2], 3).map(() => value({ name, type: nullable.ofType }, odds));
    if (isEnumType(nullable)) return pick(nullable.getValues()).name;
    if (isInputObjectType(nullable)) {
      const fields = Object.values(nullable.getFields()).filter((field) => isRequiredInputField(field) || chance(50));
      return Object.fromEntries(fields.map((field) => [field.name, value(field, odds)]));
    }
    if (!isLeafType(nullable)) return null;
    const quality = chance(odds) ? 'bad' : 'good';
    if (['Int', 'SafeInt'].includes(nullable.name))
      return pick((name === 'first' || name === 'last' ? sizes : integers)[quality]);
    if (nullable.name === 'Boolean') return chance(50);
    if (nullable.name === 'DateTime' && quality === 'good') return '2026-03-01T00:00:00Z';
    if (nullable.name === 'ID') return pick(quality === 'bad' ? badIds : known.ids);
    return pick(quality === 'good' && (name === 'after' || name === 'before') ? known.cursors : texts[quality]);
  }

  function literal(type: GraphQLInputType, given: Json): string {
    const nullable: GraphQLInputType = getNullableType(type);
    if (given === null) return 'null';
    if (isListType(nullable)) return `[${given.map((item: Json) => literal(nullable.ofType, item)).join(', ')}]`;
    if (isInputObjectType(nullable)) {
      const fields = nullable.getFields();
      const entries = Object.entries(given).flatMap(([name, entry]) => {
        const field = fields[name];
        return field ? [`${name}: ${literal(field.type, entry)}`] : [];
      });
      return `{${entries.join(', ')}}`;
    }
    return isEnumType(nullable) ? String(given) : JSON.stringify(given);
  }

  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  if (!root || !isObjectType(root)) throw new Error(`the schema has no ${kind}`);
  const body = selection(root, levels, false);
  const head = definitions.length > 0 ? `${kind} (${definitions.join(', ')})` : kind;
  return { query: `${head} { ${body} }`, variables };
}
