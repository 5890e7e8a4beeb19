import type { Command } from 'commander';
import { readConfig } from '../../config/config.js';
import type { ListTokensOptions } from './listTokens.js';
import type { NewTokenOptions } from './newToken.js';

/** Adds `token` and its commands. */
export function addTokenCommands(program: Command): void {
  const tokens = program.command('token').description('create, list and revoke API tokens');
  tokens
    .command('create')
    .description('create a token and print it; it cannot be shown again')
    .requiredOption('--person <id>', 'id of the person the token acts for (required)')
    .option('--company <id>', 'id of the company; needed if people of several companies have the same id')
    .requiredOption('--name <name>', 'name of the token, such as CI (required)')
    .option('--write', 'allow mutations (default: read-only)')
    .option('--expires <duration>', 'how long the token is valid: 30d, 12h, 45m (default: forever)')
    .action(async (options: NewTokenOptions) => {
      const { newToken } = await import('./newToken.js');
      await newToken(readConfig(), options);
    });
  tokens
    .command('list')
    .description('list all tokens')
    .option('--json', 'print a JSON array, for programs')
    .action(async (options: ListTokensOptions) => {
      const { listTokens } = await import('./listTokens.js');
      await listTokens(readConfig(), options);
    });
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'id of the token, as shown by "token list"')
    .action(async (id: string) => {
      const { revokeToken } = await import('./revokeToken.js');
      await revokeToken(readConfig(), id);
    });
}
