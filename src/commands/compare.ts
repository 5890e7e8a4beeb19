import { readFile } from 'node:fs/promises';
import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';
import { breakingChanges, type ComparedDocument } from '../rest/openapi/breakingChanges.js';
import { openApi } from './openapi.js';
import { graphqlSchema } from './schema.js';
import { UsageError } from './usageError.js';

const deadline = 30_000;

/**
 * Names each change in a contract that breaks clients of an older one, which is a file; the newer one is that of this
 * version, or a file or URL. Returns whether there is none.
 */
export async function compare(older: string, newer?: string): Promise<boolean> {
  const changes = await (/\.graphqls?$/.test(older)
    ? breaking(graphql, older, newer)
    : breaking(openapi, older, newer));
  for (const change of changes) process.stdout.write(`${change}\n`);
  return changes.length === 0;
}

interface Kind<Contract> {
  /** The contract of this version. */
  ours(): string;
  parse(text: string, source: string): Contract;
  changes(old: Contract, now: Contract): string[];
}

async function breaking<Contract>(kind: Kind<Contract>, older: string, newer: string | undefined): Promise<string[]> {
  const old = kind.parse(await textOf(older), older);
  const now = kind.parse(newer === undefined ? kind.ours() : await textOf(newer), newer ?? 'this version');
  return kind.changes(old, now);
}

const graphql: Kind<GraphQLSchema> = {
  ours: graphqlSchema,
  parse: (text, source) => read(source, 'a GraphQL schema', () => buildSchema(text)),
  changes: (old, now) => findBreakingChanges(old, now).map(({ description }) => description),
};

const openapi: Kind<ComparedDocument> = {
  ours: openApi,
  parse: (text, source) =>
    read(source, 'an OpenAPI document in JSON', () => {
      const document = JSON.parse(text);
      if (typeof document?.openapi !== 'string' || typeof document.paths !== 'object') throw new Error('no paths');
      return document;
    }),
  changes: breakingChanges,
};

function read<Contract>(source: string, what: string, parse: () => Contract): Contract {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(`${source} is not ${what}: ${(error as Error).message}`);
  }
}

async function textOf(source: string): Promise<string> {
  try {
    if (!/^https?:/.test(source)) return await readFile(source, 'utf8');
    const response = await fetch(source, { signal: AbortSignal.timeout(deadline) });
    if (!response.ok) throw new Error(`the response has status ${response.status}`);
    return await response.text();
  } catch (error) {
    throw new UsageError(`${source} cannot be read: ${(error as Error).message}`);
  }
}
