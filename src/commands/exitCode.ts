import { inspect } from 'node:util';
import { CommanderError } from 'commander';
import { FileError, fileProblem } from '../fileSystem.js';
import { DatabaseError, isUnavailable } from '../platform/postgres/index.js';
import { AddressTaken } from '../platform/process/index.js';
import { ConfigError } from '../platform/settings/index.js';
import { settingNames } from '../settings.js';
import { ImportError, UnknownChangesError } from '../workspace/report.js';
import { printError } from './print.js';

/** Wrong usage of a command, which prints the message and exits with 2. */
export class UsageError extends Error {}

/** Standard output takes no more. Why has been said, unless its reader has gone, as `head`, which is no failure. */
export class OutputClosed extends Error {}

/** Says why a command failed, unless that has been said, and returns the exit code of the process. */
export function exitCode(error: unknown): number {
  if (error instanceof CommanderError) {
    const advice = adviceFor(error);
    if (advice) printError(advice);
    return error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof OutputClosed) return 0;
  const isExpected = [UsageError, ConfigError, AddressTaken, DatabaseError, ImportError, FileError].some(
    (kind) => error instanceof kind,
  );
  if (isExpected) printError(`goalpost: ${(error as Error).message}`);
  else if (limitOf(error)) printError(`goalpost: ${(error as Error).message}. ${limitOf(error)}`);
  else if (isUnavailable(error)) printError(`goalpost: The database is unavailable: ${reasonIn(error as Error)}`);
  else printError(fileMessage(error) ?? inspect(error));
  if (error instanceof UnknownChangesError) return 3;
  return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
}

/** The settings of PostgreSQL by which it ends what takes long, by the SQLSTATE that says so. */
const limits: Record<string, string> = {
  57014: 'statement_timeout',
  '55P03': 'lock_timeout',
  '25P03': 'idle_in_transaction_session_timeout',
  '25P04': 'transaction_timeout',
};

/** Which setting may have ended it, and how a command is free of it; undefined if it failed for another reason. */
function limitOf(error: unknown): string | undefined {
  const { code = '', message = '' } = Object(error) as { code?: string; message?: string };
  const setting = limits[code];
  if (!setting || message.endsWith('user request')) return undefined;
  return `This is ${setting} of the role, the database or the server: use a role whose ${setting} is 0`;
}

/** What the file system refuses of a file that the error names. */
function fileMessage(error: unknown): string | undefined {
  const { path } = (error ?? {}) as NodeJS.ErrnoException;
  const problem = fileProblem(error);
  return typeof path === 'string' && problem ? `goalpost: ${path}: ${problem}` : undefined;
}

/** What to set in place of an option that is a setting, such as `--port`. */
function adviceFor({ code, message }: CommanderError): string | undefined {
  const [, option = ''] = /'--([a-z-]+)/.exec(message) ?? [];
  const name = option.toUpperCase().replaceAll('-', '_');
  const isMeant = code === 'commander.unknownOption' && settingNames.includes(name);
  return isMeant
    ? `${name} is a setting: set the environment variable, or a line in .env, such as ${name}=…`
    : undefined;
}

/** Prisma puts the reason last. PostgreSQL may continue it in indented lines, as in "Is the server running on that host?". */
function reasonIn({ message }: Error): string {
  const reason = message.split('\n').findLast((line) => /^\S/.test(line)) ?? message;
  return /Message: `(.+?)`?$/.exec(reason)?.[1] ?? reason;
}
