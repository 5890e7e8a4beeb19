// node generate.mjs <base URL>: writes the clients' types into generated/, from the contract of a running server.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [base] = process.argv.slice(2);
const here = (name) => new URL(name, import.meta.url);
const graphql = async (name) => parse(await readFile(here(name), 'utf8'));

await mkdir(here('generated'), { recursive: true });
const types = await openapiTypescript(new URL('/api/external/v1/openapi.json', base));
await writeFile(here('generated/openapi.ts'), astToString(types));
const operations = await codegen({
  filename: 'operations.ts',
  schema: await graphql('../../schema.graphql'),
  documents: [
    { location: 'restoreDocumentVersion.graphql', document: await graphql('restoreDocumentVersion.graphql') },
  ],
  config: { useTypeImports: true },
  plugins: [{ operations: {} }, { documents: {} }],
  pluginMap: { operations: typescriptOperations, documents: typedDocumentNode },
});
await writeFile(here('generated/operations.ts'), operations);
