#!/usr/bin/env node
import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError, Option } from 'commander';
import type { DistributeOptions } from './commands/distributeTables.js';
import { ListenError } from './commands/listen/listenError.js';
import type { ListenOptions } from './commands/listen/readListenOptions.js';
import type { PurgeOptions } from './commands/purge.js';
import type { RolesOptions } from './commands/roles.js';
import type { ServeOptions } from './commands/serve.js';
import type { CreateOptions, ListOptions } from './commands/token.js';
import { UsageError } from './commands/usageError.js';
import type { ShowWebhooksOptions } from './commands/webhook.js';
import { readConfig, readConfigWith } from './config/config.js';
import { ConfigError } from './config/configError.js';
import { readEnvironment } from './config/environment.js';
import { isSetting } from './config/settings.js';
import { DatabaseError } from './database/error.js';
import { isUnavailable } from './database/query/unavailable.js';
import { WorkerFailed } from './server/workers.js';
import { version } from './version.js';
import { ImportError } from './workspace/error.js';

// Each command is loaded when it runs: what serves takes a second to load, and `token list` needs none of it.
const program = new Command('goalpost')
  .description(
    'GraphQL gateway with a REST facade. Settings come from the environment and the file .env; docs/operating.md lists them.',
  )
  .version(version)
  .exitOverride()
  .addHelpText('after', '\nExit codes: 0 success, 1 failure, 2 invalid usage or settings.');

program
  .command('serve')
  .description('migrate the database, then serve until stopped (default)')
  .option('--no-demo', 'leave the embedded database without the demo workspace')
  .option('--workers <number>', 'processes that serve: a number, or auto for one per core (setting WORKERS)')
  .action(async ({ workers, ...options }: ServeOptions & { workers?: string }) => {
    const { serve } = await import('./commands/serve.js');
    await serve(readConfigWith(workers === undefined ? {} : { WORKERS: workers }), options);
  });
program
  .command('check')
  .description('print the settings, without passwords, and try the address and the database')
  .action(async () => {
    const { checkGateway } = await import('./commands/checkGateway.js');
    await checkGateway(readEnvironment());
  });
program
  .command('migrate')
  .description('apply pending migrations to the database')
  .action(async () => {
    const { migrate } = await import('./commands/migrate.js');
    await migrate(readConfig());
  });
program
  .command('roles')
  .description('print SQL for two roles: one owns the tables, the gateway only reads and writes rows')
  .option('--owner <role>', 'the role that migrates', 'goalpost_owner')
  .option('--gateway <role>', 'the role of the gateway and of all other commands', 'goalpost_gateway')
  .addOption(new Option('--owner-password <password>', 'its password (default: unchanged)').env('OWNER_PASSWORD'))
  .addOption(new Option('--gateway-password <password>', 'its password (default: unchanged)').env('GATEWAY_PASSWORD'))
  .option('--yes', 'run the SQL in the database (default: only print it)')
  .action(async (options: RolesOptions) => {
    const { createOrPrintRoles } = await import('./commands/roles.js');
    await createOrPrintRoles(options, readConfig);
  });
program
  .command('distribute')
  .description('show where each table goes on a Citus coordinator; with --yes, place them')
  .option('--yes', 'place the tables (default: only show where)')
  .action(async (options: DistributeOptions) => {
    const { distributeTables } = await import('./commands/distributeTables.js');
    await distributeTables(readConfig(), options);
  });
program
  .command('import')
  .description('import a workspace from a JSON file, all of it or nothing; docs/importing.md says how to remove it')
  .argument('[file]', 'the JSON file')
  .option('--schema', 'print the JSON Schema of the file, for editors, instead of importing')
  .action(async (file: string | undefined, options: { schema?: true }) => {
    const { importFile, printImportSchema } = await import('./commands/import.js');
    await (options.schema ? printImportSchema(file) : importFile(readConfig(), file));
  });
program
  .command('schema')
  .description('print the GraphQL schema')
  .action(async () => {
    const { graphqlSchema } = await import('./commands/schema.js');
    process.stdout.write(graphqlSchema());
  });
program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(async () => {
    const { openApi } = await import('./commands/openapi.js');
    process.stdout.write(openApi());
  });
program
  .command('compare')
  .description(
    'name what breaks clients between two versions of schema.graphql or openapi.json; ends with 1 if anything does',
  )
  .argument('<older>', 'a file, or a URL')
  .argument('[newer]', 'a file, or a URL (default: the contract of this version)')
  .action(async (older: string, newer: string | undefined) => {
    const { compare } = await import('./commands/compare.js');
    if (!(await compare(older, newer))) process.exitCode = 1;
  });
program
  .command('purge')
  .description('list files deleted long ago; with --yes, remove them for good')
  .requiredOption('--older-than <duration>', 'minimum time since the deletion: 90d, 12h, 45m (required)')
  .option('--yes', 'remove the files (default: only list them)')
  .action(async (options: PurgeOptions) => {
    const { purge } = await import('./commands/purge.js');
    await purge(readConfig(), options);
  });

program
  .command('listen')
  .description('print each event as it happens, and send it on; needs no option on the demo')
  .option('--forward-to <url>', 'send each event there too, signed as webhooks are')
  .option('--actions <list>', 'only these actions, such as GOAL_REOPENED,GOAL_CLOSED (default: all)')
  .option('--after <cursor>', 'begin with the event after this cursor (default: with the next one)')
  .option('--gateway <url>', 'address of the gateway (default: that of the settings HOST and PORT)')
  .addOption(new Option('--token <token>', 'an API token (default: that of the demo)').env('TOKEN'))
  .action(async (options: ListenOptions) => {
    const { listenToEvents } = await import('./commands/listen/listenToEvents.js');
    await listenToEvents(readConfig(), options);
  });

const tokens = program.command('token').description('create, list and revoke API tokens');
tokens
  .command('create')
  .description('create a token and print it; it cannot be shown again')
  .requiredOption('--person <id>', 'id of the person the token acts for (required)')
  .option('--company <id>', 'id of the company; needed if people of several companies have the same id')
  .requiredOption('--name <name>', 'name of the token, such as CI (required)')
  .option('--write', 'allow mutations (default: read-only)')
  .option('--expires <duration>', 'how long the token is valid: 30d, 12h, 45m (default: forever)')
  .action(async (options: CreateOptions) => {
    const { create } = await import('./commands/token.js');
    await create(readConfig(), options);
  });
tokens
  .command('list')
  .description('list all tokens')
  .option('--json', 'print a JSON array, for programs')
  .action(async (options: ListOptions) => {
    const { list } = await import('./commands/token.js');
    await list(readConfig(), options);
  });
tokens
  .command('revoke')
  .description('revoke a token immediately')
  .argument('<id>', 'id of the token, as shown by "token list"')
  .action(async (id: string) => {
    const { revoke } = await import('./commands/token.js');
    await revoke(readConfig(), id);
  });

const webhooks = program.command('webhook').description('list webhooks of all companies, and disable one');
webhooks
  .command('list')
  .description('list all webhooks, the one that is most behind first')
  .option('--json', 'print a JSON array, for programs')
  .action(async (options: ShowWebhooksOptions) => {
    const { showWebhooks } = await import('./commands/webhook.js');
    await showWebhooks(readConfig(), options);
  });
webhooks
  .command('disable')
  .description('send nothing to a webhook any more, until an owner of its company enables it')
  .argument('<id>', 'id of the webhook, as shown by "webhook list"')
  .action(async (id: string) => {
    const { disableByOperator } = await import('./commands/webhook.js');
    await disableByOperator(readConfig(), id);
  });

tab(program);
program.commands
  .find((command) => command.name() === 'complete')
  ?.description('print a script with which a shell completes commands and options');

// Who reads the output may want no more of it, as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
try {
  await program.parseAsync(process.argv.length > 2 ? process.argv : [...process.argv, 'serve']);
} catch (error) {
  process.exitCode = exitCode(error);
}

function exitCode(error: unknown): number {
  if (error instanceof CommanderError) {
    const advice = adviceFor(error);
    if (advice) console.error(advice);
    return error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof WorkerFailed) return error.exitCode;
  const isExpected = [UsageError, ConfigError, DatabaseError, ImportError, ListenError].some(
    (kind) => error instanceof kind,
  );
  if (isExpected) console.error(`goalpost: ${(error as Error).message}`);
  else if (isUnavailable(error)) console.error(`goalpost: The database is unavailable: ${reasonIn(error as Error)}`);
  else console.error(error);
  return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
}

/** What to set in place of an option that is a setting, such as `--port`. */
function adviceFor({ code, message }: CommanderError): string | undefined {
  const [, option = ''] = /'--([a-z-]+)/.exec(message) ?? [];
  const name = option.toUpperCase().replaceAll('-', '_');
  const isMeant = code === 'commander.unknownOption' && isSetting(name);
  return isMeant
    ? `${name} is a setting: set the environment variable, or a line in .env, such as ${name}=…`
    : undefined;
}

/** Prisma puts the reason last. PostgreSQL may continue it in indented lines, as in "Is the server running on that host?". */
function reasonIn({ message }: Error): string {
  const reason = message.split('\n').findLast((line) => /^\S/.test(line)) ?? message;
  return /Message: `(.+?)`?$/.exec(reason)?.[1] ?? reason;
}
