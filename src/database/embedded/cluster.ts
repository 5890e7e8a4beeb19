import { randomBytes } from 'node:crypto';
import { lchown, lstat, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseError } from '../error.js';
import type { Binaries } from './binaries.js';
import { type Account, nameInside, startProcess } from './serverProcess.js';

/** PostgreSQL's data directory, the path by which the server reaches it, and the password of the user `postgres`. */
export interface Cluster {
  directory: string;
  serverName: string;
  password: string;
}

const homeIn = (dataDir: string) => join(dataDir, 'postgres');

/** Whether a cluster has been created in `dataDir`. */
export const hasCluster = (dataDir: string): Promise<boolean> =>
  lstat(homeIn(dataDir)).then(
    () => true,
    () => false,
  );

/** Opens the cluster in `dataDir`, which the first start creates. Throws a DatabaseError if it cannot be used. */
export async function openCluster(
  dataDir: string,
  account: Account,
  binaries: Binaries,
  initdbFlags: string[],
): Promise<Cluster> {
  const home = homeIn(dataDir);
  if (!(await hasCluster(dataDir))) await create(home, account, binaries, initdbFlags);

  const owner = account.uid ?? process.getuid?.();
  const found = await lstat(home);
  if (!found.isDirectory() || found.uid !== owner)
    throw new DatabaseError(
      `${home} belongs to uid ${found.uid}, but PostgreSQL would run as uid ${owner}. ` +
        'Start as the user who created it, or set another DATA_DIR.',
    );
  const directory = join(home, 'data');
  const major = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (major !== binaries.major)
    throw new DatabaseError(
      `${home} was created by PostgreSQL ${major}, but this is PostgreSQL ${binaries.major}. ` +
        `Set another DATA_DIR, or DATABASE_URL to a PostgreSQL ${major} that uses these files.`,
    );
  const password = await readFile(join(home, 'password'), 'utf8');
  return { directory, serverName: nameInside(directory, account), password };
}

// Renames last: if this is interrupted, `home` is either absent or complete.
async function create(home: string, account: Account, binaries: Binaries, flags: string[]): Promise<void> {
  const fresh = await mkdtemp(`${home}.new-`);
  const directory = join(fresh, 'data');
  const password = join(fresh, 'password');
  try {
    await mkdir(directory, { mode: 0o700 });
    const secret = randomBytes(24).toString('base64url');
    await writeFile(password, secret, { mode: 0o600, flag: 'wx', flush: true });
    const { uid, gid } = account;
    if (uid && gid) for (const path of [password, directory, fresh]) await lchown(path, uid, gid);

    const locale = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const login = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile=../password'];
    const initdb = [join(binaries.directory, 'bin', 'initdb'), '-D', nameInside(directory, account)];
    const run = startProcess([...initdb, ...login, ...locale, ...flags], directory, account, binaries.env);
    if ((await run.gone) !== 0) throw new DatabaseError(`PostgreSQL could not create ${home}:\n${run.output()}`);
    await rename(fresh, home);
  } catch (error) {
    const lostTheRace = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!lostTheRace) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
