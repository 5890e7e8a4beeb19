import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBuiltGateway } from '../builtGateway.js';
import type { Attack, Target } from './attack.js';
import { freePort, longestBlock } from './loopDelay.js';
import type { Scene } from './scene.js';
import type { Seen } from './victim.js';

export interface Suffered {
  alone: Seen;
  attacked: Seen;
  /** What became of the attacker's requests. */
  outcomes: Record<string, number>;
  /** Of the gateway, before the attack and at most during it. */
  megabytes: { before: number; most: number };
  /** Of its event loop during the attack, in milliseconds. */
  block: number;
  /** Whether the gateway serves when the attack is over. */
  isAlive: boolean;
  load: number;
  /** How many cores the gateway and PostgreSQL used. */
  cores: { gateway: number; postgres: number };
}

interface Options {
  seconds: number;
  /** How long the victim measures without an attack. */
  secondsAlone?: number;
  /** Of the gateway, beside its defaults. */
  settings?: Record<string, string>;
}

/** The limits of the gateway as they are without settings. */
const defaults = { RATE_LIMIT_PER_TOKEN: '600', RATE_LIMIT_PER_ADDRESS: '120' };
const victimFile = fileURLToPath(new URL('victim.ts', import.meta.url));

const usualVictim = { company: 'other', person: 'victim', query: '{ goal(id: "own") { id name } }' };
const loopDelay = fileURLToPath(new URL('loopDelay.mjs', import.meta.url));

/** Starts a gateway, and lets a caller, of another company if none is said, measure it alone and under the attack. */
export async function suffer(
  { strike, settings: needed, victim: { company, person, query } = usualVictim }: Attack,
  scene: Scene,
  { seconds, secondsAlone = Math.min(seconds, 10), settings }: Options,
): Promise<Suffered> {
  const port = await freePort();
  const gateway = await startBuiltGateway({
    ...{ ...defaults, ...needed, ...settings, DATABASE_URL: scene.url, LOOP_DELAY_PORT: String(port) },
    NODE_OPTIONS: `${settings?.NODE_OPTIONS ?? ''} --import ${loopDelay}`,
  });
  const { base } = gateway;
  const victim = fork(victimFile, [base, await scene.issue(company, person), query], { execArgv: ['--import', 'tsx'] });
  const watch = async (duration: number): Promise<Seen> => {
    victim.send(duration);
    const [seen] = await once(victim, 'message');
    return seen;
  };
  try {
    await watch(1);
    const alone = await watch(secondsAlone);
    const before = gateway.megabytes();
    const outcomes: Record<string, number> = {};
    let isOver = false;
    let most = before;
    const measuring = setInterval(() => {
      most = Math.max(most, gateway.megabytes());
    }, 50);
    gateway.exited.then(() => clearInterval(measuring));
    const target: Target = {
      base,
      token: await scene.issue('large', 'greedy'),
      writeToken: await scene.issue('large', 'greedy', true),
      moreTokens: await Promise.all(Array.from({ length: 10 }, () => scene.issue('large', 'greedy'))),
      isOver: () => isOver,
      count: (outcome) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      },
    };
    const cores = await coresDuring({ gateway: gateway.cpuSeconds, postgres: scene.cpuSeconds });
    await longestBlock(port);
    const attack = strike(target);
    const attacked = await watch(seconds);
    const block = await longestBlock(port);
    const used = await cores();
    const load = loadavg()[0] ?? 0;
    isOver = true;
    clearInterval(measuring);
    await Promise.race([attack, sleep(10_000, undefined, { ref: false })]);
    const isAlive = await fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    return { alone, attacked, outcomes, megabytes: { before, most }, block, isAlive, load, cores: used };
  } finally {
    victim.disconnect();
    await gateway.stop();
  }
}

type Clock = () => number | Promise<number>;

/** Returns how many cores each has used since. */
async function coresDuring<Name extends string>(clocks: Record<Name, Clock>) {
  const read = async () => {
    const read = Object.entries<Clock>(clocks).map(async ([name, clock]) => [name, await clock()] as const);
    return Object.fromEntries(await Promise.all(read)) as Record<Name, number>;
  };
  const [since, before] = [performance.now(), await read()];
  return async () => {
    const after = await read();
    const seconds = (performance.now() - since) / 1_000;
    const cores = Object.keys(clocks).map((name) => [name, (after[name as Name] - before[name as Name]) / seconds]);
    return Object.fromEntries(cores) as Record<Name, number>;
  };
}
