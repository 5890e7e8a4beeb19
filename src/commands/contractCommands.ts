import type { Command } from 'commander';

/** Adds the commands that print the contract. */
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
}
