import { readFileSync } from 'node:fs';
import { ConfigError } from './configError.js';
import { isSetting } from './settings.js';
import { shownText } from './shownText.js';

/** Where settings come from. */
export interface Environment {
  values: NodeJS.ProcessEnv;
  /** Names of the variables that are not of the environment itself, but of the file `.env`. */
  fromFile: ReadonlySet<string>;
  /** What is wrong with the lines of that file themselves. */
  fileProblems?: readonly string[];
}

/** Variables of this process, and from the file `.env` in the current folder those that it does not have. */
export function readEnvironment(): Environment {
  const own = new Set(Object.keys(process.env));
  let fileProblems: string[] = [];
  try {
    process.loadEnvFile();
    fileProblems = strayLines(readFileSync('.env', 'utf8'));
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
function strayLines(text: string): string[] {
  const problems: string[] = [];
  for (let from = 0; from < text.length; ) {
    sound.lastIndex = from;
    if (sound.test(text)) {
      from = sound.lastIndex;
      continue;
    }
    const [line = ''] = text.slice(from).split('\n', 1);
    const name = line.match(/\w+/g)?.find(isSetting);
    const number = text.slice(0, from).split('\n').length;
    problems.push(
      `line ${number} of .env${name ? `, with ${name},` : ''} must have the form NAME=value.\n    Example: ${name ?? 'PORT'}=…`,
    );
    from += line.length + 1;
  }
  return problems;
}
