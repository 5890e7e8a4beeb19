import { createServer } from 'node:http';
import { type Config, configOf } from '../../config/config.js';
import { ConfigError } from '../../config/configError.js';
import { type EffectiveSetting, effectiveSettings } from '../../config/effectiveSettings.js';
import type { Environment } from '../../config/environment.js';
import { DatabaseError } from '../../database/error.js';
import { listen } from '../../server/listen.js';
import { readPersistedDocuments } from '../../server/readPersistedDocuments.js';
import { type Finding, fine, problem } from './finding.js';
import { inspectDatabase } from './inspectDatabase.js';

/**
 * Prints the settings as they count, without passwords, and what the database says. Throws a ConfigError for a bad
 * setting, and a DatabaseError if the gateway could not run on this database now.
 */
export async function checkGateway(environment: Environment): Promise<void> {
  const config = configOf(environment);
  printSettings(effectiveSettings(environment), config);
  if (config.persisted) readPersistedDocuments(config.persisted.path);
  const findings = [
    ...printFindings('Network', await inspectHost(config)),
    ...printFindings('Database', await inspectDatabase(config)),
  ];
  const problems = findings.filter(({ kind }) => kind === 'problem').length;
  if (problems > 0)
    throw new DatabaseError(problems === 1 ? '1 problem was found.' : `${problems} problems were found.`);
}

function printFindings(heading: string, findings: Finding[]): Finding[] {
  console.log(`\n${heading}`);
  for (const { kind, text } of findings) console.log(`  ${kind.padEnd('problem'.length)}  ${text}`);
  return findings;
}

/** Listens for a moment, on any port, since a gateway may be running on the right one. */
async function inspectHost({ host }: Config): Promise<Finding[]> {
  const server = createServer();
  try {
    await listen(server, { host, port: 0 });
    return [fine(`this machine can listen on ${host}`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [problem(error.message)];
  } finally {
    server.close();
  }
}

function printSettings(settings: EffectiveSetting[], { misspelled }: Config): void {
  const widest = Math.max(...settings.map(({ name }) => name.length));
  console.log('Settings');
  for (const { name, value = 'none', source } of settings) {
    const where = source === 'default' ? '' : ` (${source === '.env' ? 'in .env' : 'in the environment'})`;
    console.log(`  ${name.padEnd(widest)}  ${value}${where}`);
  }
  for (const { name, nearest } of misspelled) console.log(`  ${name} is not a setting. Did you mean ${nearest}?`);
}
