import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from './comparison/database.js';
import { callersToken, counts, usualSizes } from './comparison/dataset.js';
import { goalSql, pageSql } from './floor/json.js';
import { tokenSql } from './floor/sql.js';

// What PostgreSQL alone does with the statements of the floor's reads, as pgbench measures it: nobody who sends one
// statement for each can be faster. `npx tsx test/bench/pgbench.ts [seconds] [connections]`; needs pgbench.

const [seconds = 5, connections = 16] = process.argv.slice(2).map(Number);
const hash = createHash('sha256').update(callersToken).digest('hex');
const database = await startDatabase(usualSizes);
const directory = await mkdtemp(join(tmpdir(), 'goalpost-pgbench-'));

/** The statement with its values written out, without what pgbench takes for its variables. */
const filled = (sql: string, values: string[]) =>
  sql.replace(/\$(\d)/g, (_, number) => values[Number(number) - 1] ?? '').replaceAll('HH24:MI:SS', 'HH24":"MI":"SS');
const caller = [`'company'::text`, `'caller'::text`];
const scripts = {
  token: filled(tokenSql, [`'\\x${hash}'::bytea`]),
  'full goal': `\\set n random(0, ${counts.goals - 1})\n${filled(goalSql, [...caller, `('full-' || :n)`])}`,
  'page of 50': filled(pageSql, [...caller, `'-infinity'::timestamptz`, `''`, '51']),
};

try {
  console.log('| statement | requests/s |\n| --- | --- |');
  for (const [name, sql] of Object.entries(scripts)) {
    const file = join(directory, 'script.sql');
    // pgbench ends a statement at a semicolon only, and takes a line that begins with \ for a command of its own.
    await writeFile(file, `${sql};\n`);
    const options = ['--no-vacuum', '--protocol=prepared', `--client=${connections}`, '--jobs=2', `--time=${seconds}`];
    const report = execFileSync('pgbench', [...options, `--file=${file}`, database.url], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const [, rate] = /^tps = ([\d.]+)/m.exec(report) ?? [];
    console.log(`| ${name} | ${Math.round(Number(rate))} |`);
  }
} finally {
  await rm(directory, { recursive: true });
  await database.stop();
}
