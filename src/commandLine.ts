import { Command, Option } from 'commander';
import type { RolesOptions } from './commands/administration.js';
import type { CheckOptions } from './commands/check.js';
import { exitCode } from './commands/exitCode.js';
import { printableText } from './commands/print.js';
import { FileError } from './fileSystem.js';
import { readEnvironment } from './platform/settings/index.js';
import { type Config, readConfig } from './settings.js';
import { version } from './version.js';

/** The action of a command, which is loaded when it runs: what serves takes a second to load, and `token list` needs none of it. */
const run =
  <Args extends unknown[]>(load: () => Promise<(config: Config, ...args: Args) => Promise<void>>) =>
  async (...args: Args): Promise<void> =>
    (await load())(readConfig(), ...args);

/** The values of an option that may be repeated. */
const repeated = (value: string, before: string[] = []) => [...before, value];

const program = new Command('goalpost')
  .description(
    'An API to reopen goals, delete and recover files, and restore document versions, over REST and GraphQL. Settings come from the environment and the file .env; docs/settings.md lists them.',
  )
  .version(version)
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(printableText(text)) })
  .addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 invalid usage or settings.');

program
  .command('serve')
  .description('migrate the database, then serve until stopped (default)')
  .option('--no-demo', 'leave the embedded database without the demo workspace')
  .action(run(async () => (await import('./commands/serve.js')).serve));
program
  .command('check')
  .description('try the address and the database, say what is wrong and what to run next')
  .option('--all', 'print every setting (default: those that are set), without passwords')
  .action(async (options: CheckOptions) => {
    const { checkGateway } = await import('./commands/check.js');
    await checkGateway(readEnvironment(), options);
  });
program
  .command('migrate')
  .description('apply pending migrations to the database')
  .action(run(async () => (await import('./commands/administration.js')).migrate));
program
  .command('roles')
  .description(
    'print SQL for the roles: one owns the tables, the gateway and the main application only read and write rows',
  )
  .option('--owner <role>', 'the role that migrates', 'goalpost_owner')
  .option('--gateway <role>', 'the role of the gateway and of all other commands', 'goalpost_gateway')
  .addOption(new Option('--owner-password <password>', 'its password (default: unchanged)').env('OWNER_PASSWORD'))
  .addOption(new Option('--gateway-password <password>', 'its password (default: unchanged)').env('GATEWAY_PASSWORD'))
  .addOption(
    new Option('--application [role]', 'also the role of the main application, if it writes this database').preset(
      'goalpost_application',
    ),
  )
  .addOption(
    new Option('--application-password <password>', 'its password (default: unchanged)').env('APPLICATION_PASSWORD'),
  )
  .option('--replace-passwords', 'give the passwords also to roles that exist (default: refuse that)')
  .option('--yes', 'run the SQL in the database (default: only print it)')
  .action(async (options: RolesOptions) => {
    const { createOrPrintRoles } = await import('./commands/administration.js');
    await createOrPrintRoles(options, readConfig);
  });
program
  .command('distribute')
  .description('show where each table goes on a Citus coordinator; with --yes, place them')
  .option('--yes', 'place the tables (default: only show where)')
  .action(run(async () => (await import('./commands/administration.js')).distributeTables));
program
  .command('import')
  .description('import a workspace from a file, or update it, all of it or nothing; docs/importing.md explains it')
  .argument('[file]', 'JSON, or a JSON record in each line; - for standard input')
  .option('--update', 'change a company that exists (default: import a new one only)')
  .option('--dry-run', 'report what would change, and write nothing')
  .option('--remove-missing', 'remove what the file, which must be whole, does not name')
  .option('--overwrite', 'take the word of the file, also against what operations have changed since')
  .option('--company <id>', 'refuse a file of another company')
  .option('--json', 'print the report as JSON, for programs')
  .action(run(async () => (await import('./commands/import.js')).importFile));
program
  .command('export')
  .description('write a company to a file that import takes back, without tokens and secrets')
  .argument('[file]', 'the file, with a JSON record in each line (default: standard output)')
  .requiredOption('--company <id>', 'id of the company (required)')
  .option('--since <cursor>', 'only what operations have changed by an event after this cursor of the feed')
  .option('--links', 'with the tokens of public links (default: without)')
  .action(run(async () => (await import('./commands/export.js')).exportFile));
program
  .command('schema')
  .description('print the GraphQL schema')
  .action(async () => {
    const { sdl } = await import('./schema.js');
    process.stdout.write(sdl());
  });
program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(async () => {
    const { openApi } = await import('./commands/contract.js');
    process.stdout.write(openApi());
  });
program
  .command('purge')
  .description('list files deleted long ago; with --yes, remove them for good')
  .requiredOption('--older-than <duration>', 'minimum time since the deletion: 90d, 12h, 45m (required)')
  .option('--yes', 'remove the files (default: only list them)')
  .action(run(async () => (await import('./commands/administration.js')).purge));
program
  .command('people')
  .description('list people with their ids, which tokens need')
  .argument('[text]', 'a part of the name (default: everybody)')
  .option('--company <id>', 'only the people of this company')
  .option('--json', 'print a JSON array, for programs')
  .action(run(async () => (await import('./commands/people.js')).listPeople));

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
  .action(run(async () => (await import('./commands/token.js')).newToken));
tokens
  .command('list')
  .description('list all tokens')
  .option('--json', 'print a JSON array, for programs')
  .action(run(async () => (await import('./commands/token.js')).listTokens));
tokens
  .command('revoke')
  .description('revoke a token immediately')
  .argument('<id>', 'id of the token, as shown by "token list"')
  .action(run(async () => (await import('./commands/token.js')).revokeToken));
tokens
  .command('undo')
  .description('revoke a token, and take back what it did, unless a later change depends on it')
  .argument('<id>', 'id of the token, as shown by "token list"')
  .option('--since <duration>', 'only what it did in the last 30d, 12h, 45m (default: everything)')
  .option('--as <person>', 'id of the person in whose name it is undone (default: that of the token)')
  .option('--dry-run', 'show what would be undone; change nothing, and do not revoke the token')
  .option('--json', 'print a JSON array, for programs')
  .action(run(async () => (await import('./commands/token.js')).undoToken));

const webhooks = program.command('webhook').description('list webhooks of all companies, and disable one');
webhooks
  .command('list')
  .description('list all webhooks, the one that is most behind first')
  .option('--json', 'print a JSON array, for programs')
  .action(run(async () => (await import('./commands/webhook.js')).showWebhooks));
webhooks
  .command('disable')
  .description('send nothing to a webhook any more, until an owner of its company enables it')
  .argument('<id>', 'id of the webhook, as shown by "webhook list"')
  .action(run(async () => (await import('./commands/webhook.js')).disableByOperator));

// Who reads the output may want no more of it, as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = exitCode(new FileError('standard output', error));
});
process.stderr.on('error', () => {});
try {
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve']);
} catch (error) {
  process.exitCode = Math.max(Number(process.exitCode ?? 0), exitCode(error));
}
