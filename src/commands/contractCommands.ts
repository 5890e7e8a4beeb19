import type { Command } from 'commander';

/** Adds the commands that print and compare the contract. */
export function addContractCommands(program: Command): void {
  program
    .command('schema')
    .description('print the GraphQL schema')
    .action(async () => {
      const { graphqlSchema } = await import('./schema.js');
      process.stdout.write(graphqlSchema());
    });
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(async () => {
      const { openApi } = await import('./openapi.js');
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
      const { compare } = await import('./compare.js');
      if (!(await compare(older, newer))) process.exitCode = 1;
    });
}
