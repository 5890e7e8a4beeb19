import type { Column, Model, Models, Relation } from './models.js';
import { own, type Part } from './shape.js';
import { Unsupported } from './unsupported.js';

/** Rows of a table in the statement. */
export interface ReadTable {
  model: Model;
  alias: string;
}

/** What the parts of one statement share. */
export class Scope {
  /** For each value that must be one of an enum: its position and the enum's values. */
  readonly enums: [position: number, values: readonly string[]][] = [];
  readonly #models: Models;
  readonly #company: string;
  #tables = 0;

  /** `company` is the position of the company, to which every table of the statement is bound. */
  constructor(models: Models, company: number) {
    this.#models = models;
    this.#company = placeholder(company);
  }

  table(name: string): ReadTable {
    const model = own(this.#models, name);
    if (!model?.columns.companyId) throw new Unsupported(`${name} has no company`);
    const alias = `t${this.#tables}`;
    this.#tables += 1;
    return { model, alias };
  }

  /** The table with only the company's rows, and only those that meet the conditions. */
  from(table: ReadTable, conditions: string[]): string {
    const bound = `${columnOf(table, 'companyId')} = ${this.#company}`;
    const all = new Set([bound, ...conditions]);
    return `FROM ${quoted(table.model.table)} ${table.alias} WHERE ${[...all].join(' AND ')}`;
  }

  /** What makes a row of `there` one of the row of `here`. Both have the company already. */
  join(relation: Relation, here: ReadTable, there: ReadTable): string[] {
    const pairs = relation.on.filter(([own, other]) => own !== 'companyId' || other !== 'companyId');
    if (pairs.length === 0 || pairs.length === relation.on.length) throw new Unsupported('a relation across companies');
    return pairs.map(([own, other]) => `${columnOf(there, other)} = ${columnOf(here, own)}`);
  }

  /** The placeholder of a value, which must be of the column's type; with `[]`, of a list of such values. */
  parameter(column: Column, part: Part | undefined, list: '' | '[]' = ''): string {
    const [, type = '', brackets = '', position = ''] =
      typeof part === 'string' ? (/^(\w)(\[\])?(\d+)$/.exec(part) ?? []) : [];
    const isOfType = type !== '' && own(letters, column.type)?.includes(type);
    if (!isOfType || brackets !== list) throw new Unsupported(`a value of ${column.type}`);
    if (column.values) this.enums.push([Number(position), column.values]);
    return placeholder(Number(position));
  }
}

/** What a value of each column may be. Prisma takes more, such as a date as text. */
const letters: Record<string, string> = {
  String: 's',
  Enum: 's',
  Int: 'i',
  Float: 'if',
  BigInt: 'il',
  Boolean: 'b',
  DateTime: 'd',
};

const placeholder = (position: number) => `$${position + 1}`;

const quoted = (name: string) => `"${name}"`;

export function columnOf({ alias, model }: ReadTable, name: string): string {
  const column = own(model.columns, name);
  if (!column) throw new Unsupported(name);
  return `${alias}.${quoted(column.name)}`;
}
