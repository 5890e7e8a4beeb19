import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { Json } from '../../support/world.js';

type Composite = GraphQLObjectType | GraphQLInterfaceType;

const isComposite = (type: GraphQLNamedType): type is Composite => isObjectType(type) || isInterfaceType(type);
const isRecord = (type: GraphQLNamedType): boolean =>
  isUnionType(type) ? type.getTypes().every(isRecord) : isComposite(type) && 'id' in type.getFields();
/** What only leads to records: connections, their edges, and objects without an id. */
const isPage = ({ name }: GraphQLNamedType) => /(Connection|Edge|PageInfo)$/.test(name);
/** Records that only exist inside of another one, of which they are no further step. */
const isInside = ({ name }: GraphQLNamedType) => name === 'SubscriptionList';

/** A record as it would be, of which the policy says nothing: it is compared in test/operations/previewedChanges.test.ts. */
const isForecast = ({ name }: GraphQLNamedType, field: string) => /Preview$/.test(name) && field === 'after';

const reaches = (type: GraphQLNamedType, past: Set<string> = new Set()): boolean => {
  if (isRecord(type)) return true;
  if (!isComposite(type) || past.has(type.name)) return false;
  past.add(type.name);
  return Object.values(type.getFields()).some((field) => reaches(getNamedType(field.type), past));
};

const namesRecord = ({ name, type }: GraphQLField<unknown, unknown>) =>
  reaches(getNamedType(type)) || (/Id$/.test(name) && getNamedType(type).name === 'ID');

/** Every field of the schema that reaches another record, such as `Goal.space`. */
export const reachingFields = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !isPage(type)
      ? Object.values(type.getFields())
          .filter(namesRecord)
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );

/** Selects every field of a type, and of what it reaches, down to records of the given depth. */
export function everything(schema: GraphQLSchema, type: Composite | GraphQLUnionType, depth: number): string {
  const own = Object.values(isUnionType(type) ? {} : type.getFields()).flatMap((field) => {
    const of = getNamedType(field.type);
    if (isLeafType(of)) return [field.name];
    if (!isComposite(of) && !isUnionType(of)) return [];
    const left = (isRecord(of) || isPage(of)) && !isPage(type) && !isInside(of) ? depth - 1 : depth;
    if (isRecord(of) && (left === 0 || /Edge$/.test(type.name) || isForecast(type, field.name)))
      return [`${field.name}${argumentsOf(field)} { __typename ${idOf(of)} }`];
    if (left === 0) return [];
    return [`${field.name}${argumentsOf(field)} { ${everything(schema, of, left)} }`];
  });
  const kinds = isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  return [
    '__typename',
    ...own,
    ...kinds.map((kind) => `... on ${kind.name} { ${everything(schema, kind, depth)} }`),
  ].join(' ');
}

const idOf = (type: GraphQLNamedType) =>
  isUnionType(type)
    ? type
        .getTypes()
        .map(({ name }) => `... on ${name} { id }`)
        .join(' ')
    : 'id';

/** The whole list of a list; of numbered records the first. */
function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
  const given = args.flatMap(({ name }) => (name === 'first' ? 'first: 100' : name === 'number' ? 'number: 1' : []));
  return given.length > 0 ? `(${given})` : '';
}

/** What the fields of records show: `source Type.field` with the ids that they reach. */
export type Facts = Map<string, Set<string>>;

/** Reads an answer to {@link everything} into facts, and hands each record to `onRecord`. */
export function readFacts(schema: GraphQLSchema, answer: Json, facts: Facts, onRecord: (record: Json) => void) {
  const add = (source: string, field: string, ids: string[]) => {
    const key = `${source} ${field}`;
    facts.set(key, new Set([...(facts.get(key) ?? []), ...ids]));
  };
  const visit = (value: Json, source: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, source);
    if (Array.isArray(value) || value === null || typeof value !== 'object') return;
    const type = schema.getType(value.__typename);
    if (!type || !isComposite(type))
      throw new Error(`an object without a type: ${JSON.stringify(value).slice(0, 200)}`);
    const at: string = value.id ?? source;
    if (value.id) onRecord(value);
    for (const field of Object.values(type.getFields())) {
      const shown = value[field.name];
      if (shown === undefined) continue;
      if (!isPage(type) && namesRecord(field)) add(at, `${type.name}.${field.name}`, idsOf(shown));
      if (!isLeafType(getNamedType(field.type))) visit(shown, at);
    }
  };
  for (const [name, value] of Object.entries(answer)) {
    if (schema.getQueryType()?.getFields()[name]) add('Query', `Query.${name}`, idsOf(value));
    visit(value, 'Query');
  }
}

/** The ids of the records that a value is, lists or leads to. */
function idsOf(value: Json): string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(idsOf);
  if (value.id) return [value.id];
  if (value.nodes) return pageOf(value);
  return Object.values(value).flatMap((part) => (part && typeof part === 'object' ? idsOf(part) : []));
}

/** A count or an edge that says more than the list would be a leak of its own. */
function pageOf({ nodes, edges, totalCount }: Json): string[] {
  const ids: string[] = idsOf(nodes);
  const other = edges.map(({ node }: Json) => node.id);
  if ((totalCount ?? ids.length) !== ids.length || String(other) !== String(ids)) {
    throw new Error(`a list of ${ids.length} says it has ${totalCount}, with the edges ${other}`);
  }
  return ids;
}
