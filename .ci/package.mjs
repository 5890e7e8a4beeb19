// `npm pack` runs this before and after it packs. Meanwhile package.json is that of the package: its dependencies are
// bundled, because neither `overrides` nor, in a tarball, npm-shrinkwrap.json count where a package is installed.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const manifest = fileURLToPath(new URL('../package.json', import.meta.url));
const original = fileURLToPath(new URL('../dist/package.json', import.meta.url));

/** What is only for a checkout. npm takes `prepare` for an install script. */
const ofCheckout = ['workspaces', 'scripts', 'devDependencies', 'overrides', 'scarfSettings', 'allowScripts'];

function narrow() {
  const text = readFileSync(manifest, 'utf8');
  const kept = JSON.parse(text);
  for (const name of ofCheckout) delete kept[name];
  writeFileSync(original, text);
  const bundled = { ...kept, bundleDependencies: Object.keys(kept.dependencies) };
  writeFileSync(manifest, `${JSON.stringify(bundled, null, 2)}\n`);
}

if (process.argv[2] === 'before') narrow();
else if (existsSync(original)) renameSync(original, manifest);
