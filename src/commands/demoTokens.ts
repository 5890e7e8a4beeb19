import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoTokens } from '../server/workerMessages.js';

/** The file with the tokens of the demo workspace. */
export const demoTokensFile = (dataDir: string) => join(dataDir, 'demo-tokens.json');

/** The tokens of the demo workspace. Rejects if there is no such file. */
export const readDemoTokens = async (dataDir: string): Promise<DemoTokens> =>
  JSON.parse(await readFile(demoTokensFile(dataDir), 'utf8'));
