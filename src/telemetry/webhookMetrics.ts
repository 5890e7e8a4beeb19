import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from './gauge.js';

/** Webhooks by their state, and by how many events the slowest is behind. */
export type ReadWebhooks = () => { active: number; failing: number; disabled: number; lag: number };

/**
 * Adds what is counted of webhooks. Returns what counts a request to one, with the seconds since its event was recorded
 * if it was acknowledged.
 */
export function webhookMetrics(registry: Registry, read: ReadWebhooks | undefined) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'goalpost_webhook_attempts_total',
    help: 'Requests to webhooks by outcome: acknowledged, failed, or given_up, which is the last failure of an event.',
    labelNames: ['outcome'],
    registers,
  });
  const deliverySeconds = new Histogram({
    name: 'goalpost_webhook_delivery_seconds',
    help: 'Time from recording an event to its acknowledgement by a webhook.',
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 86_400],
    registers,
  });
  // The same in every process: they read it from the database, with every tenth sweep.
  const aggregator = 'max';
  if (read) {
    const help = 'Webhooks of all companies by state: active, failing, disabled.';
    addGauge(registry, { name: 'goalpost_webhooks', help, label: 'state', aggregator }, () => {
      const { lag: _, ...states } = read();
      return states;
    });
    const lagHelp = 'By how many events the slowest webhook that is not disabled is behind.';
    addGauge(registry, { name: 'goalpost_webhook_lag_events', help: lagHelp, aggregator }, () => read().lag);
  }

  return (outcome: string, seconds: number | undefined): void => {
    attempts.inc({ outcome });
    if (seconds !== undefined) deliverySeconds.observe(Math.max(seconds, 0));
  };
}
