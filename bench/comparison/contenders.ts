import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Spelling } from './calls.js';
import type { Asked } from './load.js';
import { postgraphile } from './postgraphile.js';
import { gateway, graphql } from './spelling.js';
import { comparableWorkloads, type WorkloadName } from './workloads.js';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export type ContenderName = 'gateway' | 'gateway, GraphQL' | 'Mercurius, by hand' | 'Yoga, by hand' | 'PostGraphile';

interface Contender {
  command: string[];
  settings?: Record<string, string>;
  spelling: Spelling;
  /** The HTTP status of a conflict. */
  conflict: number;
  /** The only workloads it can do, if not all. */
  only?: WorkloadName[];
}

const limits = {
  MAX_CONCURRENT_REQUESTS: '1000',
  RATE_LIMIT_PER_TOKEN: '1000000000',
  RATE_LIMIT_PER_ADDRESS: '1000000000',
};
const ownMain = path('../../dist/main.js');
/** For TypeScript that is not built. */
const withTypes = ['--import', import.meta.resolve('tsx')];
const served = { command: [ownMain, 'serve'], settings: limits };

export const contenders: Record<ContenderName, Contender> = {
  gateway: { ...served, spelling: gateway, conflict: 409 },
  'gateway, GraphQL': { ...served, spelling: graphql, conflict: 200 },
  'Mercurius, by hand': {
    command: [...withTypes, path('../peers/mercurius.mjs')],
    spelling: graphql,
    conflict: 200,
    only: [...comparableWorkloads, 'a goal of each company'],
  },
  'Yoga, by hand': {
    command: [...withTypes, path('../byHand/yoga.ts')],
    spelling: graphql,
    conflict: 409,
    only: comparableWorkloads,
  },
  PostGraphile: {
    command: [path('../peers/postgraphile.mjs')],
    spelling: postgraphile,
    conflict: 200,
    only: comparableWorkloads,
  },
};

export interface Running extends Asked {
  name: ContenderName;
  pid: number;
  can(workload: WorkloadName): boolean;
  stop(): Promise<void>;
}

/** All have the same Node, database and number of connections to it, and write no line for a request that succeeds. */
export async function startContender(
  name: ContenderName,
  databaseUrl: string,
  {
    node = process.execPath,
    environment = {},
    main = ownMain,
  }: { node?: string | undefined; environment?: Record<string, string>; main?: string } = {},
): Promise<Running> {
  const { command, settings, spelling, conflict, only } = contenders[name];
  if (!existsSync(main)) throw new Error(`${main} is missing: npm run build`);
  const started = command.map((part) => (part === ownMain ? main : part));
  const child = spawn(node, started, {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: '10',
      PORT: '0',
      LOG_LEVEL: 'error',
      APP_URL: 'http://127.0.0.1:4000',
      ...settings,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const base = await addressOf(child);
  const stop = async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const can = (workload: WorkloadName) => only?.includes(workload) ?? true;
  return { name, base, spelling, conflict, pid: child.pid ?? 0, can, stop };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no output to read');
  for await (const line of createInterface(child.stdout)) {
    const [, base] = /(http:\/\/[\d.a-z]+:\d+)/.exec(line) ?? [];
    if (!base) continue;
    child.stdout.resume();
    return base;
  }
  throw new Error(`${child.spawnargs.join(' ')} did not start`);
}
