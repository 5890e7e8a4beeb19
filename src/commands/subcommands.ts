import type { Command } from 'commander';
import { readConfig } from '../settings.js';
import type { ListPeopleOptions } from './people.js';
import type { ListTokensOptions, NewTokenOptions, UndoTokenOptions } from './token.js';
import type { ShowWebhooksOptions } from './webhook.js';

/** The values of an option that may be repeated. */
const repeated = (value: string, before: string[] = []) => [...before, value];

export function addWorkspaceCommands(program: Command): void {
  program
    .command('people')
    .description('list people with their ids, which tokens need')
    .argument('[text]', 'a part of the name (default: everybody)')
    .option('--company <id>', 'only the people of this company')
    .option('--json', 'print a JSON array, for programs')
    .action(async (text: string | undefined, options: ListPeopleOptions) => {
      const { listPeople } = await import('./people.js');
      await listPeople(readConfig(), text, options);
    });
}

export function addTokenCommands(program: Command): void {
  const tokens = program.command('token').description('create, list and revoke API tokens, and undo what one did');
  tokens
    .command('create')
    .description('create a token and print it; it cannot be shown again')
    .requiredOption('--person <id>', 'id of the person the token acts for, as "goalpost people" lists it (required)')
    .option('--company <id>', 'id of the company; needed if people of several companies have the same id')
    .requiredOption('--name <name>', 'name of the token, such as CI (required)')
    .option('--write', 'allow mutations (default: read-only)')
    .option(
      '--scope <scope>',
      'with --write: allow only this operation, such as reopen_goal; may be repeated (default: all)',
      repeated,
    )
    .option(
      '--surface <surface>',
      'allow the token only here: rest, graphql or mcp; may be repeated (default: everywhere)',
      repeated,
    )
    .option('--expires <duration>', 'how long the token is valid: 30d, 12h, 45m (default: forever)')
    .action(async (options: NewTokenOptions) => {
      const { newToken } = await import('./token.js');
      await newToken(readConfig(), options);
    });
  tokens
    .command('list')
    .description('list all tokens')
    .option('--json', 'print a JSON array, for programs')
    .action(async (options: ListTokensOptions) => {
      const { listTokens } = await import('./token.js');
      await listTokens(readConfig(), options);
    });
  tokens
    .command('revoke')
    .description('revoke a token immediately')
    .argument('<id>', 'id of the token, as shown by "token list"')
    .action(async (id: string) => {
      const { revokeToken } = await import('./token.js');
      await revokeToken(readConfig(), id);
    });
  tokens
    .command('undo')
    .description('revoke a token, and take back what it did, unless a later change depends on it')
    .argument('<id>', 'id of the token, as shown by "token list"')
    .option('--since <duration>', 'only what it did in the last 30d, 12h, 45m (default: everything)')
    .option('--as <person>', 'id of the person in whose name it is undone (default: that of the token)')
    .option('--dry-run', 'show what would be undone; change nothing, and do not revoke the token')
    .option('--json', 'print a JSON array, for programs')
    .action(async (id: string, options: UndoTokenOptions) => {
      const { undoToken } = await import('./token.js');
      await undoToken(readConfig(), id, options);
    });
}

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhook').description('list webhooks of all companies, and disable one');
  webhooks
    .command('list')
    .description('list all webhooks, the one that is most behind first')
    .option('--json', 'print a JSON array, for programs')
    .action(async (options: ShowWebhooksOptions) => {
      const { showWebhooks } = await import('./webhook.js');
      await showWebhooks(readConfig(), options);
    });
  webhooks
    .command('disable')
    .description('send nothing to a webhook any more, until an owner of its company enables it')
    .argument('<id>', 'id of the webhook, as shown by "webhook list"')
    .action(async (id: string) => {
      const { disableByOperator } = await import('./webhook.js');
      await disableByOperator(readConfig(), id);
    });
}

export function addContractCommands(program: Command): void {
  program
    .command('schema')
    .description('print the GraphQL schema')
    .action(async () => {
      const { graphqlSchema } = await import('./contract.js');
      process.stdout.write(graphqlSchema());
    });
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(async () => {
      const { openApi } = await import('./contract.js');
      process.stdout.write(openApi());
    });
}
