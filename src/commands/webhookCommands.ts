import type { Command } from 'commander';
import { readConfig } from '../config/config.js';
import type { ShowWebhooksOptions } from './webhook.js';

/** Adds `webhook` and its commands. */
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
