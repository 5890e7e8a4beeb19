#!/usr/bin/env node
// `graphql-codegen --config <file>` without its command line, whose 300 packages the tests do not need: what it does with
// a schema at a URL, a file of operations, the client preset and the plugin `typescript`.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import { buildSchema, parse } from 'graphql';

const { schema: url, documents: location, generates } = JSON.parse(await readFile(process.argv[3], 'utf8'));
const sdl = await (await fetch(url)).text();
const schema = parse(sdl);
const rawSDL = await readFile(location, 'utf8');
const documents = [{ location, document: parse(rawSDL), rawSDL }];

for (const [path, { preset: name, plugins, config }] of Object.entries(generates)) {
  const common = { schema, schemaAst: buildSchema(sdl), documents, config };
  const outputs =
    name === 'client'
      ? await preset.buildGeneratesSection({
          ...common,
          baseOutputDir: path,
          presetConfig: {},
          plugins: [],
          pluginMap: {},
        })
      : [
          {
            ...common,
            filename: path,
            plugins: plugins.map((plugin) => ({ [plugin]: {} })),
            pluginMap: { typescript },
          },
        ];
  for (const output of outputs) {
    await mkdir(dirname(output.filename), { recursive: true });
    await writeFile(output.filename, await codegen(output));
  }
}
