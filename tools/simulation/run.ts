import { rows, victim } from './rows.js';
import { quantile, type Seen, simulate } from './simulation.js';

// What a caller of another company waits beside each attack, with the scheduler and with one queue for all, and a plot of
// it over time: `npx tsx tools/simulation/run.ts [row …]`. In virtual time: it takes seconds, whatever the machine does.

const milliseconds = 20_000;
const wanted = process.argv.slice(2);
const [alone] = await simulate([victim], milliseconds);
const names = wanted.length > 0 ? wanted : Object.keys(rows);

const figures = ({ milliseconds: times }: Seen) =>
  `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)}`;
const ratio = (seen: Seen, part: number) =>
  (quantile(seen.milliseconds, part) / quantile(alone?.milliseconds ?? [], part)).toFixed(1);
const ratios = (seen: Seen) => `${ratio(seen, 0.5)} / ${ratio(seen, 0.99)}`;

/** One character for each request in their order: how long it took, from below 8 ms to half a second and more. */
const plot = ({ milliseconds: times }: Seen) =>
  times
    .filter((_, index) => index % Math.ceil(times.length / 60) === 0)
    .map((time) => '▁▂▃▄▅▆▇█'[Math.min(7, Math.max(0, Math.floor(Math.log2(time / 8) + 1)))])
    .join('');

console.log(`A victim alone: p50 / p99 ${alone && figures(alone)} ms\n`);
console.log(
  '| Attack | Fair, ms | ÷ alone | One queue, ms | ÷ alone | Longest in its first second, ms | Served of the attacker |',
);
console.log('|---|---|---|---|---|---|---|');
const plots: string[] = [];
for (const name of names) {
  const row = rows[name];
  if (!row) throw new Error(`there is no row ${name}; there are ${Object.keys(rows).join(', ')}`);
  const [fair, attacker] = await simulate([victim, row], milliseconds);
  const [unfair] = await simulate([victim, row], milliseconds, false);
  if (!fair || !unfair || !attacker) continue;
  const cells = [
    figures(fair),
    ratios(fair),
    figures(unfair),
    ratios(unfair),
    Math.max(...fair.first).toFixed(1),
    String(attacker.milliseconds.length),
  ];
  console.log(`| ${name} | ${cells.join(' | ')} |`);
  plots.push(`${name.padEnd(22)} fair      ${plot(fair)}\n${''.padEnd(22)} one queue ${plot(unfair)}`);
}
console.log(`\nHow long the victim's requests took, in their order: ▁ below 8 ms, each step twice as long\n`);
console.log(plots.join('\n'));
process.exit();
