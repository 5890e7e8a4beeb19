// Copies what is loaded and not compiled into dist: GraphQL documents, and in pages/assets what the pages load, which is
// our own files and those of the viewers, which are devDependencies.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const assets = join(dist, 'pages/assets');
const { resolve } = createRequire(import.meta.url);
const packaged = (name, file) => join(dirname(resolve(`${name}/package.json`)), file);

// Fonts and icons in data: URLs: the Content-Security-Policy blocks them, and they are 75 % of GraphiQL's stylesheet.
const blocked = /@font-face\s*\{[^}]*\}|background-image:url\(data:[^)]*\);?/g;

const vendor = {
  'react.js': packaged('react', 'umd/react.production.min.js'),
  'react-dom.js': packaged('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packaged('graphiql', 'graphiql.min.js'),
  'graphiql.css': packaged('graphiql', 'graphiql.min.css'),
  'eventsource-parser.js': packaged('eventsource-parser', 'dist/index.js'),
};

for (const file of readdirSync(src, { recursive: true }))
  if (file.endsWith('.graphql')) cpSync(join(src, file), join(dist, file));

mkdirSync(join(assets, 'vendor'), { recursive: true });
cpSync(join(src, 'pages/assets'), assets, { recursive: true, filter: (file) => !file.endsWith('.ts') });
for (const [name, file] of Object.entries(vendor)) {
  if (name === 'graphiql.css')
    writeFileSync(join(assets, 'vendor', name), readFileSync(file, 'utf8').replaceAll(blocked, ''));
  else cpSync(file, join(assets, 'vendor', name));
}
