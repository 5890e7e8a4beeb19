// `npm run package [-- <folder>]` makes the package in a copy of the checkout, which it leaves as it is also if it is
// killed: a gateway may be running from dist/. The build has bundled all dependencies but the embedded PostgreSQL.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const destination = resolve(process.argv[2] ?? checkout);

/** What the package is built from, and its documents. */
const sources = ['.npmrc', 'README.md', 'docs', 'openapi.json', 'package-lock.json', 'package.json', 'prisma'].concat([
  'schema.graphql',
  'src',
  'test/client/package.json',
  'tsconfig.json',
]);

/** What is only for a checkout. npm takes `prepare` for an install script. */
const ofCheckout = [
  'workspaces',
  'scripts',
  'dependencies',
  'devDependencies',
  'overrides',
  'scarfSettings',
  'allowScripts',
];

function copyTo(copy) {
  for (const name of sources) cpSync(join(checkout, name), join(copy, name), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
}

function narrow(manifest) {
  const kept = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const name of ofCheckout) delete kept[name];
  writeFileSync(manifest, `${JSON.stringify(kept, null, 2)}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'goalpost-package-'));
try {
  const copy = join(folder, 'goalpost');
  const run = (program, ...args) =>
    execFileSync(program, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  copyTo(copy);
  run('npm', 'run', '--silent', 'build');
  run('npm', 'run', '--silent', 'types');
  narrow(join(copy, 'package.json'));
  const tarball = join(folder, run('npm', 'pack', '--silent', '--pack-destination', folder).trim());
  copyFileSync(tarball, join(destination, basename(tarball)));
  console.log(basename(tarball));
} finally {
  rmSync(folder, { recursive: true });
}
