import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLError, parse, validate } from 'graphql';
import { ConfigError } from '../config/configError.js';
import { schema } from '../schema/index.js';

const prefix = 'sha256:';

/**
 * Reads the persisted documents: the `.graphql` files of a folder, or a JSON file that maps identifiers to documents.
 * The SHA-256 of a document, with and without the prefix `sha256:`, identifies it too. Throws a ConfigError.
 */
export function readPersistedDocuments(path: string): Map<string, string> {
  const documents = new Map<string, string>();
  for (const [id, text] of textsAt(path)) {
    const hash = createHash('sha256').update(text).digest('hex');
    if (id.startsWith(prefix) && id !== prefix + hash)
      throw invalid(path, `${id} does not match its document, whose hash is ${hash}`);
    const error = errorIn(text);
    if (error) throw invalid(path, `${id}: ${error.message}`);
    for (const name of [id, prefix + hash, hash]) documents.set(name, text);
  }
  return documents;
}

function textsAt(path: string): [string, string][] {
  try {
    if (statSync(path).isDirectory()) {
      const files = readdirSync(path).filter((file) => file.endsWith('.graphql'));
      return files.map((file) => [file.slice(0, -'.graphql'.length), readFileSync(join(path, file), 'utf8')]);
    }
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const texts = typeof content === 'object' && content !== null ? Object.entries(content) : [];
    return texts.map(([id, text]) => {
      if (typeof text !== 'string') throw new Error(`${id} is not a string`);
      return [id, text];
    });
  } catch (error) {
    throw invalid(path, (error as Error).message);
  }
}

function errorIn(text: string): GraphQLError | undefined {
  try {
    return validate(schema, parse(text))[0];
  } catch (error) {
    return error as GraphQLError;
  }
}

const invalid = (path: string, problem: string) => new ConfigError(`PERSISTED_DOCUMENTS ${path}: ${problem}`);
