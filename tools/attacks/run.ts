import { parseArgs } from 'node:util';
import { attacks as all } from './attacks.js';
import { kindsOfReceivers, receiverOf } from './receivers.js';
import { setScene } from './scene.js';
import { type Suffered, suffer } from './suffer.js';
import type { Seen } from './victim.js';

// What a caller, of another company if none is said, sees while one caller does its worst, with the gateway's defaults, how
// much memory the gateway needs, and for how long it does nothing else: `npx tsx tools/attacks/run.ts [--seconds 20] [--heap megabytes] [attack …]`. `receiver:hints` is one kind
// of receiver that misbehaves by itself. Prints a Markdown table.

const { values, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '20' }, heap: { type: 'string' } },
  allowPositionals: true,
});
const seconds = Number(values.seconds);
const settings = values.heap ? { NODE_OPTIONS: `--max-old-space-size=${values.heap}` } : {};
const receivers = Object.fromEntries(kindsOfReceivers.map((kind) => [`receiver:${kind}`, receiverOf(kind)]));
const attacks: typeof all = { ...all, ...receivers };
const names = positionals.length > 0 ? positionals : Object.keys(all);

const countsOf = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([outcome, count]) => `${count} × ${outcome}`)
    .join(', ');

function timesOf({ milliseconds }: Seen): string {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const at = (part: number) => (sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN).toFixed(1);
  return `${at(0.5)} / ${at(0.99)} ms`;
}

function rowOf(name: string, { alone, attacked, outcomes, megabytes, block, isAlive, load, cores }: Suffered): string {
  const cells = [
    `${timesOf(alone)}`,
    `${timesOf(attacked)}`,
    countsOf(attacked.statuses),
    countsOf(outcomes),
    `${megabytes.before} → ${megabytes.most} MB`,
    `${Math.round(block)} ms`,
    isAlive ? 'serves' : '**gone**',
    `${cores.gateway.toFixed(2)} + ${cores.postgres.toFixed(2)}`,
    load.toFixed(1),
  ];
  return `| ${name}: ${attacks[name]?.title} | ${cells.join(' | ')} |`;
}

const scene = await setScene();
try {
  console.log(`${seconds} seconds each, after ${Math.min(seconds, 10)} without an attack; p50 / p99\n`);
  console.log(
    '| Attack | Victim alone | Victim attacked | Its responses | Attacker | Memory | Longest block | Gateway | Cores: gateway + PostgreSQL | Load |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|---|');
  for (const name of names) {
    const attack = attacks[name];
    if (!attack) throw new Error(`there is no attack ${name}; there are ${Object.keys(attacks).join(', ')}`);
    console.log(rowOf(name, await suffer(attack, scene, { seconds, settings })));
  }
} finally {
  await scene.stop();
}
