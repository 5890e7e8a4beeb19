import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isUnionType,
} from 'graphql';

type Composite = GraphQLObjectType | GraphQLInterfaceType;

/** A field of a document, with the names of fields that it selects below it. */
export interface Selected {
  name: string;
  arguments: string;
  /** The type that the fields below are selected on, if it is not the field's own. */
  on: string | undefined;
  fields: Selected[];
}

/** The arguments with which each query that needs some finds something. */
type Subjects = Record<string, readonly string[]>;

/** Those of the scene. */
export const subjects: Subjects = {
  goal: ['id: "g1"', 'id: "g7"', 'id: "wide1"'],
  space: ['id: "s1"', 'id: "wide"'],
  resourceHub: ['id: "hub"', 'id: "h1"'],
  resourceHubFolder: ['id: "f1"', 'id: "f100"'],
  resourceHubDocument: ['id: "d1"', 'id: "long"'],
  resourceHubFile: ['id: "i1"'],
  previewRestoreDocumentVersion: [
    'input: {documentId: "long", versionNumber: 3}',
    'input: {documentId: "d1", versionNumber: 1}',
  ],
  previewReopenGoal: ['input: {id: "wide1", sendNotificationsToEveryone: true}', 'input: {id: "g1"}'],
};

const levels = 5;
const mostFields = 3;

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const chance = (part: number) => Math.random() < part;

/** Draws queries that are valid, with large pages and records that exist, and changes them a little. */
export class RandomDocuments {
  readonly #schema: GraphQLSchema;
  readonly #subjects: Subjects;

  constructor(schema: GraphQLSchema, subjects: Subjects) {
    this.#schema = schema;
    this.#subjects = subjects;
  }

  draw(): Selected[] {
    return [this.#field(this.#root, levels)];
  }

  /** The same with one more selection, one less, or one repeated. */
  change(fields: readonly Selected[]): Selected[] {
    const copy = structuredClone(fields) as Selected[];
    const places: { fields: Selected[]; type: Composite; level: number }[] = [];
    const visit = (within: Selected[], type: Composite, level: number) => {
      places.push({ fields: within, type, level });
      for (const field of within) {
        const inner = this.#typeOf(field, type);
        if (inner) visit(field.fields, inner, level - 1);
      }
    };
    visit(copy, this.#root, levels);
    const place = pick(places);
    const index = Math.floor(Math.random() * place.fields.length);
    const field = place.fields[index];
    if (chance(0.3) && place.fields.length > 1) place.fields.splice(index, 1);
    else if (chance(0.6) && field)
      for (let more = pick([1, 2, 4]); more > 0; more--) place.fields.push(structuredClone(field));
    else place.fields.push(this.#field(place.type, Math.max(1, place.level)));
    return copy;
  }

  /** Every selection without one of its fields. */
  shorter(fields: readonly Selected[]): Selected[][] {
    return fields.flatMap((field, index) => [
      ...(fields.length > 1 ? [fields.toSpliced(index, 1)] : []),
      ...this.shorter(field.fields).map((below) => fields.with(index, { ...field, fields: below })),
    ]);
  }

  get #root(): Composite {
    return this.#schema.getQueryType() as GraphQLObjectType;
  }

  #field(type: Composite, level: number): Selected {
    const fields = Object.values(type.getFields());
    const leaves = fields.filter(({ type: of }) => isLeafType(getNamedType(of)));
    const all = level > 1 || leaves.length === 0 ? fields : leaves;
    const deep = all.filter(({ type: of }) => !isLeafType(getNamedType(of)));
    const field = pick(deep.length > 0 && chance(0.7) ? deep : all);
    const selected: Selected = { name: field.name, arguments: this.#arguments(field), on: undefined, fields: [] };
    const inner = getNamedType(field.type);
    if (isUnionType(inner) || (isInterfaceType(inner) && chance(0.7)))
      selected.on = pick(this.#schema.getPossibleTypes(inner)).name;
    const below = this.#typeOf(selected, type);
    if (below) {
      selected.fields = Array.from({ length: 1 + Math.floor(Math.random() * mostFields) }, () =>
        this.#field(below, level - 1),
      );
    }
    return selected;
  }

  #typeOf({ name, on }: Selected, parent: Composite): Composite | undefined {
    const field = parent.getFields()[name];
    const type = on ? this.#schema.getType(on) : field && getNamedType(field.type);
    return isObjectType(type) || isInterfaceType(type) ? type : undefined;
  }

  #arguments({ name, args }: GraphQLField<unknown, unknown>): string {
    const subjects = this.#subjects[name];
    if (subjects && args.every(({ name: of }) => of !== 'first')) return `(${pick(subjects)})`;
    const values = args.flatMap((argument) => {
      if (argument.name === 'first') return chance(0.8) ? ['first: 100'] : [];
      if (argument.name === 'filter' && name === 'goals') return chance(0.5) ? ['filter: {text: "oal"}'] : [];
      if (argument.name === 'orderBy') return chance(0.5) ? ['orderBy: {field: NAME}'] : [];
      return [];
    });
    return values.length > 0 ? `(${values.join(', ')})` : '';
  }
}

/** The text of a selection, with an alias for each name that occurs before. */
export function textOf(fields: readonly Selected[]): string {
  const seen = new Set<string>();
  const texts = fields.map(({ name, arguments: given, on, fields: below }, index) => {
    const alias = seen.has(name) ? `a${index}: ` : '';
    seen.add(name);
    if (below.length === 0) return `${alias}${name}${given}`;
    return `${alias}${name}${given} { ${on ? `... on ${on} { ${textOf(below)} }` : textOf(below)} }`;
  });
  return texts.join(' ');
}
