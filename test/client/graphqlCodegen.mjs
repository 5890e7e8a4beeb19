#!/usr/bin/env node
// `graphql-codegen --config <file>` without its command line, whose 300 packages the tests do not need: what it does with
// a schema at a URL, a file of operations and the client preset.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { buildSchema, parse } from 'graphql';

const { schema: url, documents: location, generates } = JSON.parse(await readFile(process.argv[3], 'utf8'));
const sdl = await (await fetch(url)).text();
const schema = parse(sdl);
const rawSDL = await readFile(location, 'utf8');
const documents = [{ location, document: parse(rawSDL), rawSDL }];

for (const [baseOutputDir, { config }] of Object.entries(generates)) {
  const outputs = await preset.buildGeneratesSection({
    ...{ schema, schemaAst: buildSchema(sdl), documents, config, baseOutputDir },
    ...{ presetConfig: {}, plugins: [], pluginMap: {} },
  });
  for (const output of outputs) {
    await mkdir(dirname(output.filename), { recursive: true });
    await writeFile(output.filename, await codegen(output));
  }
}
