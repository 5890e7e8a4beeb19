import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** Programs that wanted a processor in the last minute. */
export const loadNow = () => Number((loadavg()[0] ?? Number.NaN).toFixed(1));

/** Where and when figures were taken. */
export interface Conditions {
  node: string;
  cpu: string;
  processors: number;
  memoryGigabytes: number;
  load: number;
  date: string;
  /** The versions of the peers. */
  peers: string;
}

export const conditions = (peerNode: string | undefined): Conditions => ({
  node: process.version,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  processors: cpus().length,
  memoryGigabytes: Math.round(totalmem() / 2 ** 30),
  load: loadNow(),
  date: new Date().toISOString().slice(0, 10),
  peers: peersOf(peerNode),
});

function dependenciesOf(file: string): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  return { ...dependencies, ...devDependencies };
}

function peersOf(peerNode: string | undefined): string {
  const node = peerNode ? ` on Node ${execFileSync(peerNode, ['--version'], { encoding: 'utf8' }).trim()}` : '';
  const peers = dependenciesOf('../peers/package.json');
  const prisma = dependenciesOf('../../package.json')['@prisma/client'];
  return `PostGraphile ${peers.postgraphile}${node}, Apollo Server ${peers['@apollo/server']}, Prisma ${prisma}`;
}
