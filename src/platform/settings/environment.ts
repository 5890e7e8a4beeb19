import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import leven from 'leven';
import { ConfigError, shownText } from './configError.js';

/** Where settings come from. */
export interface Environment {
  values: NodeJS.ProcessEnv;
  /** Names of the variables that are not of the environment itself, but of the file `.env`. */
  fromFile: ReadonlySet<string>;
  /** What is wrong with the lines of that file themselves. */
  fileProblems?: readonly string[];
}

/**
 * Variables of this process, and from the file `.env` in the current folder those that it does not have. `names` are
 * those of the settings.
 */
export function readEnvironment(names: readonly string[]): Environment {
  const own = new Set(Object.keys(process.env));
  let fileProblems: string[] = [];
  try {
    // Editors of Windows write a byte order mark, which Node would take for a part of the first name.
    const text = readFileSync('.env', 'utf8').replace(/^\uFEFF/, '');
    for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
    fileProblems = strayLines(text, names);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EISDIR' ? 'it is a folder' : message;
    if (code !== 'ENOENT') throw new ConfigError(`The file .env cannot be read: ${reason}`);
  }
  const fromFile = new Set(Object.keys(process.env).filter((name) => !own.has(name)));
  return { values: process.env, fromFile, fileProblems };
}

/** The variables that are set; an empty one counts as not set. */
export const givenIn = ({ values }: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** What was set, such as `PORT=abc (in .env)`. */
export const assignment = ({ values, fromFile }: Environment, name: string) =>
  `${name}=${shownText(name, values[name] ?? '')}${fromFile.has(name) ? ' (in .env)' : ''}`;

/** An assignment, which ends with its quotes if these are on several lines; a comment or nothing. */
const sound =
  /(?:[ \t]*(?:export[ \t]+)?[\w.-]+[ \t]*=[ \t]*(?:(["'`])[\s\S]*?\1)?[^\n]*|[ \t]*#[^\n]*|[ \t\r]*)(?:\n|$)/y;

/** The lines of a `.env` that Node would ignore. Says only names of settings of them, as they may have a password. */
function strayLines(text: string, names: readonly string[]): string[] {
  const problems: string[] = [];
  for (let from = 0; from < text.length; ) {
    sound.lastIndex = from;
    if (sound.test(text)) {
      from = sound.lastIndex;
      continue;
    }
    const [line = ''] = text.slice(from).split('\n', 1);
    const name = line.match(/\w+/g)?.find((word) => names.includes(word));
    const number = text.slice(0, from).split('\n').length;
    problems.push(
      `line ${number} of .env${name ? `, with ${name},` : ''} must have the form NAME=value.\n    Example: ${name ?? 'PORT'}=…`,
    );
    from += line.length + 1;
  }
  return problems;
}

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
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const upper = given.toUpperCase();
  return names.find((name) => Math.abs(upper.length - name.length) <= 2 && leven(upper, name) <= 2);
}
