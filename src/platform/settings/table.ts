import type { Kind } from './kinds.js';

/** One setting: everything that is said of it anywhere. */
export interface Setting extends Kind<unknown> {
  /** Its environment variable. */
  variable: string;
  /** What counts if it is not set, as somebody would write it. */
  default?: string;
  /** In place of a default: what happens then, for the documents. */
  otherwise?: string;
  /** What it is for, in Markdown. */
  meaning: string;
}

/** Settings by the names that they have in the code; those of one part may be together under its name. */
export interface Table {
  readonly [name: string]: Setting | Table;
}

/** What the settings of a table are read into. */
export type Values<T> = {
  [Name in keyof T]: T[Name] extends { read(text: string): infer Value }
    ? NonNullable<Value> | (T[Name] extends { default: string } ? never : undefined)
    : Values<T[Name]>;
};

const isSetting = (entry: Setting | Table): entry is Setting => typeof entry.variable === 'string';

/** Every setting of a table. */
export const settingsOf = (table: Table): Setting[] =>
  Object.values(table).flatMap((entry) => (isSetting(entry) ? [entry] : settingsOf(entry)));

/** A setting that cannot be used: why, and what would be accepted. */
export interface SettingProblem {
  variable: string;
  text: string;
  example: string | undefined;
}

/** Reads the settings of a table. The values are whole if there are no problems. */
export function readTable<T extends Table>(
  table: T,
  given: NodeJS.ProcessEnv,
): { values: Values<T>; problems: SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const valueFor = (setting: Setting): unknown => {
    const { variable, read, allowed, problem } = setting;
    const text = given[variable]?.trim() ?? setting.default;
    if (text === undefined) return undefined;
    // Only the default of a list is an empty text.
    const value = text === '' && variable in given ? undefined : read(text);
    const found = value === undefined ? undefined : problem?.of(text);
    if (value !== undefined && found === undefined) return value;
    const example = found && problem ? problem.example : (setting.example ?? setting.default);
    problems.push({ variable, text: found ?? `must be ${allowed}`, example });
    return undefined;
  };
  const valuesOf = (part: Table): object =>
    Object.fromEntries(
      Object.entries(part).map(([name, entry]) => [name, isSetting(entry) ? valueFor(entry) : valuesOf(entry)]),
    );
  return { values: valuesOf(table) as Values<T>, problems };
}
