// Copies what the pages load into dist/pages/assets: our own files and those of the viewers, which are devDependencies.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const assets = fileURLToPath(new URL('../../dist/pages/assets/', import.meta.url));
const { resolve } = createRequire(import.meta.url);
const packaged = (name, file) => join(dirname(resolve(`${name}/package.json`)), file);

// Fonts and icons in data: URLs: the Content-Security-Policy blocks them, and they are 75 % of GraphiQL's stylesheet.
const blocked = /@font-face\s*\{[^}]*\}|background-image:url\(data:[^)]*\);?/g;

const vendor = {
  'react.js': packaged('react', 'umd/react.production.min.js'),
  'react-dom.js': packaged('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packaged('graphiql', 'graphiql.min.js'),
  'graphiql.css': packaged('graphiql', 'graphiql.min.css'),
};

mkdirSync(join(assets, 'vendor'), { recursive: true });
cpSync(fileURLToPath(new URL('assets/', import.meta.url)), assets, { recursive: true });
for (const [name, file] of Object.entries(vendor)) {
  if (name === 'graphiql.css')
    writeFileSync(join(assets, 'vendor', name), readFileSync(file, 'utf8').replaceAll(blocked, ''));
  else cpSync(file, join(assets, 'vendor', name));
}
