import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { closestMatch } from 'leven';
import { ConfigError, shownText } from './configError.js';

/** Where settings come from. */
export interface Environment {
  values: NodeJS.ProcessEnv;
  /** Names of the variables that are not of the environment itself, but of the file `.env`. */
  fromFile: ReadonlySet<string>;
  /** Names at the start of lines of that file that Node ignores, because they are no assignments. */
  ignored?: readonly string[];
}

const named = /^[ \t]*(?:export[ \t]+)?([A-Z][A-Z_]+)[ \t]*[: \t]/gm;

/** Variables of this process, and those of the file `.env` that it lacks. */
export function readEnvironment(): Environment {
  const own = new Set(Object.keys(process.env));
  let ignored: string[] = [];
  try {
    // Editors of Windows write a byte order mark, which Node would take for a part of the first name.
    const text = readFileSync('.env', 'utf8').replace(/^\uFEFF/, '');
    const read = parseEnv(text);
    for (const [name, value] of Object.entries(read)) process.env[name] ??= value;
    ignored = [...text.matchAll(named)].map(([, name = '']) => name).filter((name) => read[name] === undefined);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EISDIR' ? 'it is a folder' : message;
    if (code !== 'ENOENT') throw new ConfigError(`The file .env cannot be read: ${reason}`);
  }
  const fromFile = new Set(Object.keys(process.env).filter((name) => !own.has(name)));
  return { values: process.env, fromFile, ignored };
}

/** The variables that are set; an empty one counts as not set. */
export const givenIn = ({ values }: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** What was set, such as `PORT=abc (in .env)`. */
export const assignment = ({ values, fromFile }: Environment, name: string) =>
  `${name}=${shownText(name, values[name] ?? '')}${fromFile.has(name) ? ' (in .env)' : ''}`;

/** Shorter variables of the environment are others' more likely than misspelled. */
const ownLength = 8;

/** Variables that are no settings, but nearly. */
export function misspelledIn(
  { values, fromFile }: Environment,
  names: readonly string[],
): { name: string; nearest: string }[] {
  const candidates = Object.keys(values).filter(
    (name) => !names.includes(name) && (name.length >= ownLength || fromFile.has(name)),
  );
  return candidates.flatMap((name) => {
    const nearest = nearestName(name, names);
    return nearest ? [{ name, nearest }] : [];
  });
}

/** The name of a setting that somebody may have meant. */
export const nearestName = (given: string, names: readonly string[]): string | undefined =>
  closestMatch(given.toUpperCase(), names, { maxDistance: 2 });
