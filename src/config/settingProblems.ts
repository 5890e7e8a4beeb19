import type { ZodError } from 'zod';
import { tlsExample } from './addresses.js';
import { assignment, type Environment, givenIn } from './environment.js';
import { type Setting, settings } from './settings.js';

/** The values of `PGSSLMODE` with which nothing needs to be encrypted. */
const mayBePlain = ['disable', 'allow', 'prefer'];

/** What is wrong with the settings, alone and together: each with its value, what is needed, and an example. */
export function settingProblems(environment: Environment, error: ZodError | undefined): string[] {
  const given = givenIn(environment);
  const problem = (name: string, text: string, example: unknown, of = name) =>
    `${assignment(environment, name)} ${text}.\n    Example: ${of}=${example}`;
  const needs = (name: Setting, needed: Setting, example: string) =>
    given[name] && !given[needed] ? [problem(name, `needs ${needed} too`, example, needed)] : [];

  const invalid = (error?.issues ?? []).map(({ path: [name = ''], message, ...issue }) =>
    problem(String(name), message, 'params' in issue && issue.params?.example),
  );
  return [
    ...(environment.fileProblems ?? []),
    ...invalid,
    ...(given.PERSISTED_ONLY === 'on' ? needs('PERSISTED_ONLY', 'PERSISTED_DOCUMENTS', './documents') : []),
    ...needs('DATABASE_REPLICA_URL', 'DATABASE_URL', 'postgresql://goalpost:password@primary:5432/goalpost'),
    ...unencrypted(given).map((name) =>
      problem(name, `needs sslmode itself: PGSSLMODE=${given.PGSSLMODE} is not read`, tlsExample),
    ),
    ...tooManyWorkers(given).map((workers) =>
      problem(
        'WORKERS',
        'needs a DATABASE_POOL_SIZE of at least as many: each worker gets its share',
        10 * workers,
        'DATABASE_POOL_SIZE',
      ),
    ),
  ];
}

/** What reads PGSSLMODE for other programs does not do so here: without a word, nothing would be encrypted. */
function unencrypted({ PGSSLMODE: mode, ...given }: NodeJS.ProcessEnv): Setting[] {
  if (!mode || mayBePlain.includes(mode)) return [];
  const urls: Setting[] = ['DATABASE_URL', 'DATABASE_REPLICA_URL'];
  return urls.filter((name) => given[name] && !given[name].includes('sslmode='));
}

function tooManyWorkers(given: NodeJS.ProcessEnv): number[] {
  const workers = settings.shape.WORKERS.safeParse(given.WORKERS).data;
  const poolSize = settings.shape.DATABASE_POOL_SIZE.safeParse(given.DATABASE_POOL_SIZE).data;
  return typeof workers === 'number' && poolSize !== undefined && workers > poolSize ? [workers] : [];
}
