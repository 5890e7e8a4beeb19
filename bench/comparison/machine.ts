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

function peersOf(peerNode: string | undefined): string {
  const node = peerNode ? ` on Node ${execFileSync(peerNode, ['--version'], { encoding: 'utf8' }).trim()}` : '';
  const { dependencies: peers } = JSON.parse(readFileSync(new URL('../peers/package.json', import.meta.url), 'utf8'));
  return `Mercurius ${peers.mercurius}, PostGraphile ${peers.postgraphile}${node}`;
}
