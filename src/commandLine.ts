import { Command, Option } from 'commander';
import type { DistributeOptions, PurgeOptions, RolesOptions } from './commands/administration.js';
import type { CheckOptions } from './commands/check.js';
import { exitCode } from './commands/exitCode.js';
import type { ExportFileOptions } from './commands/export.js';
import type { ImportFileOptions } from './commands/import.js';
import { printableText } from './commands/print.js';
import type { ServeOptions } from './commands/serve.js';
import {
  addContractCommands,
  addTokenCommands,
  addWebhookCommands,
  addWorkspaceCommands,
} from './commands/subcommands.js';
import { FileError } from './fileSystem.js';
import { readEnvironment } from './platform/settings/index.js';
import { readConfig } from './settings.js';
import { version } from './version.js';

// Each command is loaded when it runs: what serves takes a second to load, and `token list` needs none of it.
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
  .action(async (options: ServeOptions) => {
    const { serve } = await import('./commands/serve.js');
    await serve(readConfig(), options);
  });
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
  .action(async () => {
    const { migrate } = await import('./commands/administration.js');
    await migrate(readConfig());
  });
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
  .action(async (options: DistributeOptions) => {
    const { distributeTables } = await import('./commands/administration.js');
    await distributeTables(readConfig(), options);
  });
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
  .action(async (file: string | undefined, options: ImportFileOptions) => {
    const { importFile } = await import('./commands/import.js');
    await importFile(readConfig(), file, options);
  });
program
  .command('export')
  .description('write a company to a file that import takes back, without tokens and secrets')
  .argument('[file]', 'the file, with a JSON record in each line (default: standard output)')
  .requiredOption('--company <id>', 'id of the company (required)')
  .option('--since <cursor>', 'only what operations have changed by an event after this cursor of the feed')
  .option('--links', 'with the tokens of public links (default: without)')
  .action(async (file: string | undefined, options: ExportFileOptions) => {
    const { exportFile } = await import('./commands/export.js');
    await exportFile(readConfig(), file, options);
  });
addContractCommands(program);
program
  .command('purge')
  .description('list files deleted long ago; with --yes, remove them for good')
  .requiredOption('--older-than <duration>', 'minimum time since the deletion: 90d, 12h, 45m (required)')
  .option('--yes', 'remove the files (default: only list them)')
  .action(async (options: PurgeOptions) => {
    const { purge } = await import('./commands/administration.js');
    await purge(readConfig(), options);
  });

addWorkspaceCommands(program);
addTokenCommands(program);
addWebhookCommands(program);

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
